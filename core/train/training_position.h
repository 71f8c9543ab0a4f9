#pragma once

#include <cstdint>
#include <string>

#include "core/model/architecture.h"
#include "core/model/checkpoint.h"
#include "core/train/trainer.h"

namespace yatlab {

/// State of early stopping: the best evaluation so far and its parameters.
struct BestSoFar {
  std::int64_t step = -1;  ///< -1: none yet
  std::int64_t epoch = 0;
  std::int64_t waited = 0;  ///< evaluations since the best
  Metrics metrics;
  NamedTensors model;  ///< parameters and buffers, each called "best/<name>" as in the checkpoint

  /// Copies the model's current tensors.
  void keep(const Architecture& from);
  /// Copies the saved tensors back into the model.
  void restore(const Architecture& to) const;
};

/// The part of a training that changes from step to step, besides tensors: `state.json` of a checkpoint.
struct TrainingPosition {
  std::int64_t step = 0;
  double loss_sum = 0;  ///< over the samples of this epoch, or since the last evaluation if evaluations are scheduled by steps
  std::int64_t loss_count = 0;
  std::int64_t target_step = -1;                  ///< when `trainer.target` was reached; -1: not yet
  std::int64_t evaluations_without_learning = 0;  ///< number of latest evaluations in a row that were no better than a constant prediction
  Metrics metrics;                                ///< the newest value of each name
  BestSoFar best;                                 ///< early stopping only
  bool restored = false;                          ///< the training has finished and the model holds the best parameters

  void add_loss(double mean, std::int64_t samples);
  void restart_mean();

  std::string to_text(const HistoryMark& history) const;
  /// `history`: receives the mark that was stored with it. The tensors of `best` are not in the text.
  static TrainingPosition from_text(const std::string& text, HistoryMark& history);
};

}  // namespace yatlab
