#pragma once

#include <cstdint>
#include <string>

#include "core/model/architecture.h"
#include "core/model/checkpoint.h"
#include "core/train/trainer.h"

namespace yatlab {

/// Early stopping so far: the best evaluation and the parameters that gave it.
struct BestSoFar {
  std::int64_t step = -1;  ///< -1: none yet
  std::int64_t epoch = 0;
  std::int64_t waited = 0;  ///< evaluations since
  Metrics metrics;
  NamedTensors model;  ///< parameters and buffers, each called "best/<name>" as in the checkpoint

  /// Copies the model as it is.
  void keep(const Architecture& from);
  /// Gives the model what was kept.
  void restore(const Architecture& to) const;
};

/// The part of a training that changes from step to step, besides tensors: `state.json` of a checkpoint.
struct TrainingPosition {
  std::int64_t step = 0;
  double loss_sum = 0;  ///< over the samples of this epoch, or since the last evaluation where these count steps
  std::int64_t loss_count = 0;
  std::int64_t target_step = -1;  ///< when `trainer.target` was reached; -1: not yet
  std::int64_t useless = 0;       ///< newest evaluations in a row that were no better than not looking at the input
  Metrics metrics;                ///< the newest of each name
  BestSoFar best;                 ///< early stopping only
  bool restored = false;          ///< the training is over and the model holds the best parameters

  void add_loss(double mean, std::int64_t samples);
  void restart_mean();

  std::string to_text(const HistoryMark& history) const;
  /// `history`: receives the mark that was stored with it. Tensors of `best` are not in the text.
  static TrainingPosition from_text(const std::string& text, HistoryMark& history);
};

}  // namespace yatlab
