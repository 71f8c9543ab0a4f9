#include "plugins/kernels/datasets/own_samples.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/data/checked_text.h"
#include "core/data/locate.h"
#include "core/data/permutation.h"
#include "plugins/kernels/datasets/number_text.h"
#include "plugins/kernels/datasets/shaping.h"

namespace yatlab {
namespace {

constexpr double kTestShare = 0.2;

/// The value of a label that is a finite number; nothing for a word ("nan" is one).
std::optional<double> finite_number(const std::string& label) {
  const auto value = number_in<double>(label);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Sort order: numbers by value, before everything else.
bool before(const std::string& a, const std::string& b) {
  const auto x = finite_number(a), y = finite_number(b);
  if (x && y && *x != *y) return *x < *y;
  if (x.has_value() != y.has_value()) return x.has_value();
  return a < b;
}

OwnSamples rows_of(const OwnSamples& from, const std::vector<std::int64_t>& rows) {
  OwnSamples out;
  out.inputs = from.inputs.index_select(0, at::tensor(rows, at::kLong));
  for (const auto row : rows) out.labels.push_back(from.labels[static_cast<std::size_t>(row)]);
  return out;
}

std::int64_t share_of(double share, std::size_t of) { return std::llround(share * static_cast<double>(of)); }

/// Moves a share of "train" to the split `to`; a share of every class, if stratified. Both parts keep the file's order.
void divide(const std::string& name, std::map<std::string, OwnSamples>& parts, const std::string& to, double share,
            const OwnShaping& shaping) {
  auto& train = parts.at("train");
  std::map<std::string, std::vector<std::int64_t>> groups;
  for (std::size_t i = 0; i < train.labels.size(); ++i)
    groups[shaping.stratify ? train.labels[i] : ""].push_back(static_cast<std::int64_t>(i));
  const auto seed = derive_seed(static_cast<std::uint64_t>(shaping.split_seed), "own/" + to);
  std::vector<std::int64_t> kept, taken;
  for (const auto& [label, rows] : groups) {
    const auto order = permutation(static_cast<std::int64_t>(rows.size()), derive_seed(seed, label));
    const auto count = share_of(share, rows.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      (static_cast<std::int64_t>(k) < count ? taken : kept).push_back(rows[static_cast<std::size_t>(order[k])]);
    }
  }
  if (taken.empty() || kept.empty()) {
    throw config_error(fmt::format("'dataset.{}' = {} leaves no {} sample of {}", to, share, taken.empty() ? to : "training", name), {},
                       fmt::format("there are {} samples to split, in {} classes", train.labels.size(), groups.size()),
                       shaping.stratify ? "with dataset.stratify=false all classes are split together" : "");
  }
  std::sort(kept.begin(), kept.end());
  std::sort(taken.begin(), taken.end());
  parts[to] = rows_of(train, taken);
  train = rows_of(train, kept);
}

/// Takes a random subset, because files are often sorted by class.
void cut(OwnSamples& part, std::int64_t size, std::uint64_t seed) {
  if (part.inputs.size(0) <= size) return;
  auto rows = permutation(part.inputs.size(0), seed);
  rows.resize(static_cast<std::size_t>(size));
  std::sort(rows.begin(), rows.end());
  part = rows_of(part, rows);
}

/// A part's inputs as [N, values].
at::Tensor flat(const OwnSamples& part) { return part.inputs.flatten(1); }

void to_float(OwnSamples& part) {
  const bool bytes = part.inputs.scalar_type() == at::kByte;
  part.inputs = part.inputs.to(at::kFloat).contiguous();
  if (bytes) part.inputs.div_(255.0);
}

/// The position of a value, or, for -1, of the label.
std::string place_of(const std::string& name, const std::string& split, const OwnSamples& part, std::int64_t row, std::int64_t value) {
  if (!part.place && value < 0) return fmt::format("{}: {} sample {}", name, split, row);
  return part.place ? part.place(row, value) : fmt::format("{}: {} sample {}, value {}", name, split, row, value);
}

/// Rejects labels that cannot name a class, that are one number written in two ways ("1" and "1.0"), or numbers of which nearly every sample has a
/// different one: that would be regression.
void check_labels(const std::string& name, const std::map<std::string, OwnSamples>& parts,
                  const std::function<void(const std::string&)>& notice) {
  constexpr std::size_t kFew = 20, kEach = 10;  // classes; samples per class
  std::map<std::string, std::size_t> classes;
  std::size_t samples = 0;
  for (const auto& [split, part] : parts) {
    for (std::size_t i = 0; i < part.labels.size(); ++i) {
      const auto& label = part.labels[i];
      if (++classes[label] > 1) continue;
      if (const auto why = why_no_class_name(label); !why.empty()) {
        throw data_error(fmt::format("'{}' is not a valid class name", visible(shortened(label, 60))),
                         place_of(name, split, part, static_cast<std::int64_t>(i), -1), why, "use a name in UTF-8, on one line");
      }
    }
    samples += part.labels.size();
  }
  bool numbers = true, whole = true;
  std::map<double, std::string> values;
  for (const auto& [label, count] : classes) {
    const auto comma = label.find(',');
    const auto value = finite_number(comma == std::string::npos ? label : label.substr(0, comma) + "." + label.substr(comma + 1));
    numbers = numbers && value.has_value();
    whole = whole && value && *value == std::floor(*value);
    if (!value) continue;
    if (const auto [it, fresh] = values.emplace(*value, label); !fresh) {
      throw data_error(fmt::format("{}: classes '{}' and '{}' are the same number", name, shortened(it->second, 60), shortened(label, 60)),
                       {}, "as words they would be two classes", "write it the same way everywhere");
    }
  }
  const bool own = 2 * classes.size() > samples, many = classes.size() > kFew && classes.size() * kEach > samples;
  if (!many && !(numbers && !whole && own && classes.size() > 3)) return;
  const auto summary =
      fmt::format("{}: {} different {} as classes, in {} samples", name, classes.size(), numbers ? "numbers" : "words", samples);
  if (numbers && (!whole || own)) {
    throw data_error(summary, {}, "predicting a number is regression, which is not supported: labels must be classes",
                     "add a column of classes to the file (low and high, for example), and use it as the label");
  }
  notice(summary +
         (numbers ? "; if the label is a quantity, this is regression, which is not supported" : "; is the label an ID of the samples?"));
}

/// Rejects infinite values, and missing ones unless they are to be filled or dropped.
void check_values(const std::string& name, const std::string& split, OwnSamples& part, const OwnShaping& shaping,
                  const std::function<void(const std::string&)>& notice) {
  const auto values = flat(part);
  const auto infinite = values.isinf().nonzero();
  if (infinite.size(0) > 0) {
    throw data_error(fmt::format("{} value{} of {} {} infinite", infinite.size(0), infinite.size(0) == 1 ? "" : "s", name,
                                 infinite.size(0) == 1 ? "is" : "are"),
                     place_of(name, split, part, infinite[0][0].item<std::int64_t>(), infinite[0][1].item<std::int64_t>()), {},
                     "models need finite values: correct the file");
  }
  const auto missing = values.isnan();
  const auto count = missing.sum().item<std::int64_t>();
  if (count == 0) return;
  const auto first = missing.nonzero()[0];
  const auto samples = missing.any(1);
  const auto affected = samples.sum().item<std::int64_t>();
  const auto words = fmt::format("{} value{} in {} of {} {} samples", count, count == 1 ? "" : "s", affected, part.inputs.size(0), split);
  if (shaping.missing == OwnShaping::Missing::kError) {
    throw data_error(fmt::format("{}: {} missing", name, words),
                     place_of(name, split, part, first[0].item<std::int64_t>(), first[1].item<std::int64_t>()), {},
                     "dataset.missing=drop removes these samples, dataset.missing=mean fills in the training samples' mean");
  }
  if (shaping.missing == OwnShaping::Missing::kMean)
    return notice(fmt::format("{}: {} missing: replaced by the training samples' mean", name, words));
  if (affected == part.inputs.size(0))
    throw data_error(fmt::format("every {} sample of {} has a missing value", split, name), {}, {}, "dataset.missing=mean fills them in");
  notice(fmt::format("{}: {} missing: samples removed", name, words));
  const auto whole = samples.logical_not().nonzero().squeeze(1);
  part = rows_of(part, {whole.data_ptr<std::int64_t>(), whole.data_ptr<std::int64_t>() + whole.numel()});
}

/// The dimensions over which values share a scale: per column of a table, per channel of an image, else all values together. Returns the dimensions
/// to average over.
std::vector<std::int64_t> scaled_together(std::int64_t rank) {
  if (rank == 2) return {0};
  if (rank == 4) return {0, 2, 3};
  std::vector<std::int64_t> all(static_cast<std::size_t>(rank));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  return all;
}

/// Replaces missing values by the mean of the training samples at the same place.
void fill(std::map<std::string, OwnSamples>& parts, const std::string& name) {
  const auto& train = parts.at("train").inputs;
  const auto there = train.isnan().logical_not();
  const auto count = there.sum(0, false, at::kDouble);
  if (count.eq(0).any().item<bool>()) {
    throw data_error(fmt::format("{}: every training sample lacks value {}", name, count.flatten().eq(0).nonzero()[0].item<std::int64_t>()),
                     {}, "it has no mean to fill in", "remove that column");
  }
  const auto mean = (at::nan_to_num(train.to(at::kDouble), 0.0).sum(0) / count).to(at::kFloat);
  for (auto& [split, part] : parts) part.inputs = at::where(part.inputs.isnan(), mean, part.inputs);
}

void scale(std::map<std::string, OwnSamples>& parts, OwnShaping::Scale how) {
  if (how == OwnShaping::Scale::kNone) return;
  const auto& train = parts.at("train").inputs;
  const auto together = scaled_together(train.dim());
  const auto values = train.to(at::kDouble);
  at::Tensor shift, width;
  if (how == OwnShaping::Scale::kStandardize) {
    shift = values.mean(together, true);
    width = values.std(together, false, true);
  } else {
    shift = values.amin(together, true);
    width = values.amax(together, true) - shift;
  }
  width = at::where(width > 0, width, at::ones_like(width));  // constant values become 0
  for (auto& [split, part] : parts) part.inputs = ((part.inputs.to(at::kDouble) - shift) / width).to(at::kFloat);
}

}  // namespace

void OwnShaping::declare(Fields& f, OwnShaping& p) {
  f.field("test", p.test, "share of the samples to hold out as split 'test'; null: 0.2, or none if test samples are given")
      .range(0.01, 0.9);
  f.field("validation", p.validation,
          "training samples to hold out as split 'validation': a share up to 0.9, or a number (approximate if stratified)")
      .non_negative();
  f.field("stratify", p.stratify, "hold out the same share of every class; false: draw samples regardless of their class");
  f.field("split_seed", p.split_seed,
          "seed that chooses the held-out samples, independent of the training's: every seed sees the same splits")
      .non_negative()
      .unlimited();
  f.field("limit", p.limit, "number of training samples, drawn by split_seed; null: all").min(1);
  f.field("test_limit", p.test_limit, "number of test samples, drawn by split_seed; null: all").min(1);
  f.choice("scale", p.scale, {{"none", Scale::kNone}, {"standardize", Scale::kStandardize}, {"unit", Scale::kUnit}},
           "values as they are, with mean 0 and standard deviation 1, or from 0 to 1: per column or image channel, fitted on the training "
           "samples");
  f.choice("missing", p.missing, {{"error", Missing::kError}, {"drop", Missing::kDrop}, {"mean", Missing::kMean}},
           "missing values: an error, drop their samples, or fill in the training samples' mean");
}

std::vector<std::string> OwnShaping::splits() const { return DataShape::usual_splits(validation > 0); }

OwnSplits shape_own_samples(const std::string& name, std::map<std::string, OwnSamples> parts, const OwnShaping& shaping,
                            const std::function<void(const std::string&)>& notice) {
  for (const auto& [split, given] : {std::pair{"test", shaping.test.has_value()}, std::pair{"validation", shaping.validation > 0}}) {
    if (given && parts.count(split)) {
      throw config_error(fmt::format("'dataset.{}' holds out samples, but {} has its own {} samples", split, name, split), {}, {},
                         fmt::format("remove dataset.{}", split));
    }
  }
  for (const auto& [split, part] : parts) {
    if (part.inputs.size(0) == 0) throw data_error(fmt::format("{} contains no {} samples", name, split));
    if ((part.inputs.scalar_type() == at::kByte) == (parts.at("train").inputs.scalar_type() == at::kByte)) continue;
    throw data_error(fmt::format("{}: {} inputs and training inputs differ in type", name, split), {},
                     "one of them has bytes, which are scaled to 0 to 1; the other does not", "save both with the same type");
  }
  check_labels(name, parts, notice);
  for (auto& [split, part] : parts) {
    if (part.inputs.dim() < 2) part.inputs = part.inputs.unsqueeze(1);
    if (part.inputs.numel() == 0) {
      throw data_error(fmt::format("{}: {} inputs contain no values", name, split), {},
                       fmt::format("their shape is {}", fmt::join(part.inputs.sizes(), " x ")));
    }
    to_float(part);
    check_values(name, split, part, shaping, notice);
  }
  const auto shape = parts.at("train").inputs.sizes().slice(1).vec();
  for (const auto& [split, part] : parts) {
    if (part.inputs.sizes().slice(1) != at::IntArrayRef(shape)) {
      throw data_error(fmt::format("{}: {} samples have a different shape than training samples", name, split), {},
                       fmt::format("{} against {}", fmt::join(part.inputs.sizes().slice(1), " x "), fmt::join(shape, " x ")));
    }
  }
  if (!parts.count("test")) divide(name, parts, "test", shaping.test.value_or(kTestShare), shaping);
  if (shaping.validation > 0) {
    const auto n = parts.at("train").inputs.size(0);
    const bool share = shaping.validation <= 0.9;
    divide(name, parts, "validation",
           share ? shaping.validation : static_cast<double>(held_out(shaping.validation, n)) / static_cast<double>(n), shaping);
  }
  const auto seed = derive_seed(static_cast<std::uint64_t>(shaping.split_seed), "own/limit");
  if (shaping.limit) cut(parts.at("train"), *shaping.limit, seed);
  if (shaping.test_limit) cut(parts.at("test"), *shaping.test_limit, seed);
  if (shaping.missing == OwnShaping::Missing::kMean) fill(parts, name);
  scale(parts, shaping.scale);

  OwnSplits out;
  std::set<std::string> known;
  for (const auto& [split, part] : parts) known.insert(part.labels.begin(), part.labels.end());
  out.classes.assign(known.begin(), known.end());
  std::sort(out.classes.begin(), out.classes.end(), before);
  if (out.classes.size() < 2) {
    throw data_error(fmt::format("{} has only one class", name), {}, fmt::format("every label is '{}'", shortened(out.classes.front())),
                     "check which values are the labels");
  }
  std::map<std::string, std::int64_t> index;
  for (std::size_t i = 0; i < out.classes.size(); ++i) index[out.classes[i]] = static_cast<std::int64_t>(i);
  for (auto& [split, part] : parts) {
    std::vector<std::int64_t> targets;
    for (const auto& label : part.labels) targets.push_back(index.at(label));
    out.splits[split] = {part.inputs.contiguous(), at::tensor(targets, at::kLong)};
  }
  return out;
}

std::filesystem::path find_own_file(const std::string& key, const std::string& file, const DataContext& context) {
  const std::filesystem::path given(file);
  std::error_code ec;
  if (std::filesystem::exists(given, ec)) return given;
  std::vector<std::string> looked = {given.is_absolute() ? given.parent_path().string() : std::filesystem::current_path(ec).string()};
  if (!given.is_absolute()) {
    for (const auto& folder : candidate_folders({}, context)) {
      const auto path = folder / given;
      if (std::filesystem::exists(path, ec)) return path;
      looked.push_back((folder / "x").parent_path().string());  // "data/" and "data" are the same
    }
  }
  looked.erase(std::unique(looked.begin(), looked.end()), looked.end());
  throw data_error(fmt::format("'{}' does not exist", file), key, fmt::format("looked in: {}", fmt::join(looked, ", ")),
                   "give its full path, or add its folder to data.search_path");
}

}  // namespace yatlab
