#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/data/dataset.h"

namespace yatlab {

/// The settings of every image set: number of samples, held-out samples, pixel scaling.
struct Shaping {
  enum class Pixels { kUnit, kSymmetric, kStandardized };
  enum class HoldOut { kLast, kSeeded };

  std::optional<std::int64_t> limit, test_limit;
  double validation = 0;
  HoldOut hold_out = HoldOut::kLast;
  Pixels pixels = Pixels::kUnit;
  std::optional<double> mean, std;

  static void declare(Fields& f, Shaping& p);
};

/// How many of n training samples `validation` holds out: a share up to 0.9, or a number of samples. Throws a config error if it is neither, or
/// leaves no samples for training or validation. of: "sample", "row"
std::int64_t held_out(double validation, std::int64_t n, const char* of = "sample");

/// Applies `shaping` to "train" and "test" (inputs uint8, or float32 in [0, 1]): keeps the first `limit` samples, moves the held-out part of "train"
/// to "validation", and converts pixels to float32. Mean and standard deviation, unless given, are computed from all pixels of the remaining "train".
/// `seed` is used by `hold_out: seeded` only. Throws a config error when no samples would be left.
void shape_splits(std::map<std::string, Split>& splits, const Shaping& shaping, std::uint64_t seed);

}  // namespace yatlab
