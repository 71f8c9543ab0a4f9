#include "plugins/kernels/datasets/shaping.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/data/permutation.h"

namespace yatlab {
namespace {

void cut(Split& split, std::int64_t size) {
  if (split.size() <= size) return;
  split.inputs = split.inputs.narrow(0, 0, size);
  split.targets = split.targets.narrow(0, 0, size);
}

Split pick(const Split& from, const std::vector<std::int64_t>& rows) {
  const auto index = at::tensor(rows, at::kLong);
  return {from.inputs.index_select(0, index), from.targets.index_select(0, index)};
}

void hold_out(std::map<std::string, Split>& splits, const Shaping& shaping, std::uint64_t seed) {
  Split& train = splits.at("train");
  const auto n = train.size();
  const auto held = held_out(shaping.validation, n);
  if (shaping.hold_out == Shaping::HoldOut::kLast) {
    splits["validation"] = {train.inputs.narrow(0, n - held, held), train.targets.narrow(0, n - held, held)};
    cut(train, n - held);
    return;
  }
  auto rows = permutation(n, derive_seed(seed, "validation"));
  const auto middle = rows.begin() + (n - held);
  std::sort(rows.begin(), middle);  // both parts keep the file's order
  std::sort(middle, rows.end());
  splits["validation"] = pick(train, {middle, rows.end()});
  train = pick(train, {rows.begin(), middle});
}

void to_unit(Split& split) {
  const bool bytes = split.inputs.scalar_type() == at::kByte;
  split.inputs = split.inputs.to(at::kFloat).contiguous();
  if (bytes) split.inputs.div_(255.0);
  split.targets = split.targets.contiguous();
}

}  // namespace

std::int64_t held_out(double validation, std::int64_t n, const char* of) {
  const double whole = std::round(validation);
  if (validation > 0.9 && validation != whole) {
    throw config_error(fmt::format("'dataset.validation' cannot be {}", validation), {}, "it must be a share or a number of samples",
                       "set a share up to 0.9, or an integer");
  }
  const auto held = static_cast<std::int64_t>(validation < 1 ? std::round(validation * static_cast<double>(n)) : whole);
  if (held > 0 && held < n) return held;
  throw config_error(fmt::format("'dataset.validation' = {} leaves no {} {}", validation, held <= 0 ? "validation" : "training", of), {},
                     fmt::format("there are {} training {}s", n, of));
}

void Shaping::declare(Fields& f, Shaping& p) {
  f.field("limit", p.limit, "number of training samples, the first ones; null: all").min(1);
  f.field("test_limit", p.test_limit, "number of test samples, the first ones; null: all").min(1);
  f.field("validation", p.validation, "training samples to hold out as split 'validation': a share up to 0.9, or a number").non_negative();
  f.choice("hold_out", p.hold_out, {{"last", HoldOut::kLast}, {"seeded", HoldOut::kSeeded}},
           "which samples 'validation' holds out: the last ones, or random ones drawn by the seed");
  f.choice("pixels", p.pixels, {{"unit", Pixels::kUnit}, {"symmetric", Pixels::kSymmetric}, {"standardized", Pixels::kStandardized}},
           "scale of the inputs: [0, 1], [-1, 1], or (x - mean) / std");
  f.field("mean", p.mean, "mean for 'standardized'; null: that of the training pixels in use");
  f.field("std", p.std, "standard deviation for 'standardized'; null: that of the training pixels in use").positive();
}

void shape_splits(std::map<std::string, Split>& splits, const Shaping& shaping, std::uint64_t seed) {
  if (shaping.limit) cut(splits.at("train"), *shaping.limit);
  if (shaping.test_limit) cut(splits.at("test"), *shaping.test_limit);
  if (shaping.validation > 0) hold_out(splits, shaping, seed);
  for (auto& [name, split] : splits) to_unit(split);
  double shift = 0, scale = 1;
  if (shaping.pixels == Shaping::Pixels::kSymmetric) shift = 0.5, scale = 0.5;
  if (shaping.pixels == Shaping::Pixels::kStandardized) {
    const auto& pixels = splits.at("train").inputs;
    shift = shaping.mean ? *shaping.mean : pixels.mean(at::kDouble).item<double>();
    scale = shaping.std ? *shaping.std : pixels.std(false).item<double>();
    if (!(scale > 0)) {
      throw config_error("'dataset.pixels' cannot be 'standardized'", {}, "the training pixels are all equal", "set dataset.std");
    }
  }
  if (shift == 0 && scale == 1) return;
  for (auto& [name, split] : splits) split.inputs.sub_(shift).div_(scale);
}

}  // namespace yatlab
