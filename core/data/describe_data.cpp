#include "core/data/describe_data.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/base/text.h"

namespace yatlab {
namespace {

constexpr std::int64_t kRare = 10;       // maximum ratio of the largest to the smallest class
constexpr double kScales = 30;           // maximum ratio between the spreads of two columns
constexpr double kLarge = 30;            // for larger values exp() of their products may overflow
constexpr std::size_t kNamesShown = 12;  // classes

std::string shape_text(const Tensor& inputs) {
  const auto shape = inputs.sizes().slice(1);
  if (shape.size() == 1) return fmt::format("{} number{} each", shape[0], shape[0] == 1 ? "" : "s");
  return fmt::format("{} each", fmt::join(shape, " x "));
}

bool dense_classes(const Split& split) {
  return split.inputs.defined() && split.inputs.layout() == at::kStrided && split.inputs.scalar_type() == at::kFloat &&
         split.inputs.dim() > 1 && split.targets.defined() && split.targets.layout() == at::kStrided &&
         split.targets.scalar_type() == at::kLong && split.targets.dim() == 1;
}

std::vector<std::int64_t> per_class(const Split& split, std::int64_t classes) {
  const auto counts = split.targets.bincount({}, classes);
  return {counts.data_ptr<std::int64_t>(), counts.data_ptr<std::int64_t>() + counts.numel()};
}

std::string counts_text(const std::vector<std::int64_t>& counts) {
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  return *least == *most ? fmt::format("{}", *least) : fmt::format("{} to {}", *least, *most);
}

std::vector<std::string_view> rows_of(const Tensor& inputs) {
  const auto flat = inputs.contiguous();
  const auto bytes = flat.nbytes() / static_cast<std::size_t>(std::max<std::int64_t>(1, flat.size(0)));
  std::vector<std::string_view> out;
  for (std::int64_t i = 0; i < flat.size(0); ++i) {
    out.emplace_back(static_cast<const char*>(flat.data_ptr()) + static_cast<std::size_t>(i) * bytes, bytes);
  }
  return out;
}

std::string named(const std::vector<std::string>& names) {
  std::vector<std::string> some(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kNamesShown)));
  auto out = join(some, ", ");
  if (names.size() > some.size()) out += fmt::format(" and {} more", names.size() - some.size());
  return out;
}

void check_classes(const std::string& split, const std::vector<std::int64_t>& counts, const std::vector<std::string>& names,
                   std::vector<std::string>& warnings) {
  std::vector<std::string> lacking;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 0) lacking.push_back(names[c]);
  }
  if (!lacking.empty()) warnings.push_back(fmt::format("no {} sample of class {}", split, named(lacking)));
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  if (lacking.empty() && *most > kRare * *least) {
    warnings.push_back(fmt::format(
        "{}: class {} has {} samples, class {} has {}: accuracy is not informative; always predicting the largest class gives {:.1f} %",
        split, names[static_cast<std::size_t>(most - counts.begin())], *most, names[static_cast<std::size_t>(least - counts.begin())],
        *least, 100.0 * static_cast<double>(*most) / [&] {
          double all = 0;
          for (const auto n : counts) all += static_cast<double>(n);
          return all;
        }()));
  }
}

void check_values(const std::string& split, const Tensor& inputs, std::vector<std::string>& warnings) {
  const auto bad = inputs.isfinite().logical_not();
  if (const auto count = bad.sum().item<std::int64_t>(); count > 0) {
    warnings.push_back(fmt::format("{}: {} value{} missing or infinite", split, count, count == 1 ? " is" : "s are"));
  }
}

void check_scales(const Tensor& inputs, std::vector<std::string>& warnings) {
  const auto most = inputs.abs().max().item<double>();
  std::vector<std::string> reasons;
  if (most > kLarge) reasons.push_back(fmt::format("values reach {:.4g}", most));
  if (inputs.dim() == 2) {
    const auto spread = inputs.to(at::kDouble).std(0, false);
    const auto moving = spread.masked_select(spread > 0);
    if (moving.numel() > 1) {
      const double ratio = (moving.max() / moving.min()).item<double>();
      if (ratio > kScales) reasons.push_back(fmt::format("columns' standard deviations differ by a factor of {:.3g}", ratio));
    }
    const auto still = spread.numel() - moving.numel();
    if (still > 0)
      warnings.push_back(
          fmt::format("{} of {} columns never change{}", still, spread.numel(), still == spread.numel() ? ": nothing can be learned" : ""));
  }
  if (!reasons.empty())
    warnings.push_back(
        fmt::format("{}: the largest values dominate distances and products; try dataset.scale=standardize", join(reasons, ", and ")));
}

/// Checks for samples that two splits, or two classes, share.
void check_duplicates(const std::map<std::string, Split>& splits, std::vector<std::string>& warnings) {
  const auto& train = splits.at("train");
  const auto rows = rows_of(train.inputs);
  const auto* labels = train.targets.data_ptr<std::int64_t>();
  std::unordered_map<std::string_view, std::int64_t> seen;
  std::int64_t twice = 0, torn = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [it, fresh] = seen.emplace(rows[i], labels[i]);
    twice += !fresh;
    torn += !fresh && it->second != labels[i];
  }
  if (twice > 0) {
    warnings.push_back(fmt::format("train: {} sample{} duplicated{}", twice, twice == 1 ? " is" : "s are",
                                   torn > 0 ? fmt::format(", {} of them with a different class", torn) : ""));
  }
  for (const auto& [name, split] : splits) {
    if (name == "train" || !dense_classes(split)) continue;
    std::int64_t known = 0;
    const auto inputs = split.inputs.contiguous();
    for (const auto row : rows_of(inputs)) known += static_cast<std::int64_t>(seen.count(row));
    if (known > 0) {
      warnings.push_back(fmt::format("{} of {} {} samples are also training samples: results on them partly measure memorization", known,
                                     split.size(), name));
    }
  }
}

}  // namespace

DataDescription describe_data(const Dataset& dataset, const std::map<std::string, Split>& splits) {
  DataDescription out;
  const auto& p = dataset.provenance();
  const auto& train = splits.at("train");
  out.text = fmt::format("{}\n  from      {}{}\n", p.name, p.tier, p.files.empty() ? "" : ": " + shortened(join(p.files, ", ")));
  if (!p.substituted_for.empty()) out.text += fmt::format("  instead   of {}\n", p.substituted_for);
  out.text += fmt::format("  sha256    {}\n", p.sha256);
  const auto names = dataset.num_classes() < 1 << 20 ? dataset.class_names() : std::vector<std::string>();
  if (train.inputs.defined())
    out.text += fmt::format("  inputs    {}{}\n", train.inputs.layout() == at::kStrided ? "" : "sparse, ", shape_text(train.inputs));
  out.text += fmt::format("  classes   {}{}\n", dataset.num_classes(), names.empty() ? "" : ": " + named(names));
  out.text += fmt::format("  {:<10}  {:>9}", "", "samples");
  if (dense_classes(train))
    out.text += fmt::format("  {:>9}  {:>9}  {:>9}  {:>9}  {}", "least", "mean", "greatest", "std", "of each class");
  out.text += '\n';
  for (const char* name : {"train", "validation", "test"}) {
    const auto it = splits.find(name);
    if (it == splits.end()) continue;
    const auto& split = it->second;
    out.text += fmt::format("  {:<10}  {:>9}", name, split.size());
    if (dense_classes(split) && split.size() > 0) {
      const auto counts = per_class(split, dataset.num_classes());
      const auto values = split.inputs.flatten();
      out.text +=
          fmt::format("  {:>9.4g}  {:>9.4g}  {:>9.4g}  {:>9.4g}  {}", values.min().item<double>(), values.mean(at::kDouble).item<double>(),
                      values.max().item<double>(), values.to(at::kDouble).std(false).item<double>(), counts_text(counts));
      check_values(name, split.inputs, out.warnings);
      check_classes(name, counts, names, out.warnings);
    }
    out.text += '\n';
  }
  if (dense_classes(train) && train.size() > 0) {
    check_scales(train.inputs, out.warnings);
    check_duplicates(splits, out.warnings);
  }
  return out;
}

}  // namespace yatlab
