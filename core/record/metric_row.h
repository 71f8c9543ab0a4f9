#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace yatlab {

using Metrics = std::map<std::string, double>;

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
  std::optional<std::int64_t> tokens = {};  ///< trained on so far; unset where samples are not text
  Metrics metrics = {};
};

/// How far a job has come, after every step.
struct Progress {
  std::int64_t step = 0, total_steps = 0;
  std::int64_t epoch = 0, epochs = 0;  ///< epoch is 1-based
  std::int64_t samples = 0;            ///< seen by this process, for a rate
  double loss = 0;                     ///< mean training loss of this epoch so far
  std::string what = {};               ///< what is being done, where there are no epochs
};

}  // namespace yatlab
