#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/data/dataset.h"

namespace yatlab {

/// What every image set offers: how many samples, which are held out, how pixels are scaled.
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

/// How many of n training samples `validation` holds out: a share up to 0.9, or a number of samples. Throws a config error where that is
/// neither, or leaves none of either kind. of: "sample", "row"
std::int64_t held_out(double validation, std::int64_t n, const char* of = "sample");

/// Applies `shaping` to "train" and "test" (inputs uint8, or float32 in [0, 1]): cuts them to the
/// first `limit` samples, moves the held-out part of "train" to "validation", and turns pixels into
/// float32. Mean and standard deviation, unless given, are those of all pixels of what is left of
/// "train". `seed` serves `hold_out: seeded` only. Throws a config error when nothing would be left.
void shape_splits(std::map<std::string, Split>& splits, const Shaping& shaping, std::uint64_t seed);

}  // namespace yatlab
