#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace yatlab {

using Metrics = std::map<std::string, double>;

/// A training's position in time.
struct TrainTime {
  std::int64_t step = 0;
  double epoch = 0;          ///< passes over the training data, with fractions
  std::int64_t samples = 0;  ///< training samples so far, over all passes
};

/// One row of a training's history, as in metrics.jsonl and in calls of trackers.
struct MetricRow {
  std::int64_t step = 0;
  double epoch = 0;
  std::optional<std::int64_t> tokens = {};  ///< training tokens so far; unset if samples are not text
  Metrics metrics = {};
};

/// A job's progress, reported after every step.
struct Progress {
  std::int64_t step = 0, total_steps = 0;
  std::int64_t epoch = 0, epochs = 0;  ///< epoch is 1-based
  std::int64_t samples = 0;            ///< processed by this process, to compute a rate
  double loss = 0;                     ///< mean training loss of this epoch so far
  std::string what = {};               ///< description of the work, if there are no epochs
};

}  // namespace yatlab
