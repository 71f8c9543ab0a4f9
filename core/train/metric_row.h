#pragma once

#include <cstdint>
#include <optional>

#include "core/train/task.h"

namespace yatlab {

/// How far a training has come.
struct TrainTime {
  std::int64_t step = 0;
  double epoch = 0;          ///< passes over the training data; fractions too
  std::int64_t samples = 0;  ///< trained on so far, over all passes
};

/// One row of a training's history, as metrics.jsonl holds it and trackers get it.
struct MetricRow {
  std::int64_t step = 0;
  double epoch = 0;
  std::optional<std::int64_t> tokens = {};  ///< trained on so far; unset where samples are no text
  Metrics metrics = {};
};

}  // namespace yatlab
