#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/data/batches.h"
#include "core/data/dataset.h"
#include "core/experiment/trainer_params.h"
#include "core/model/architecture.h"
#include "core/record/metric_row.h"
#include "core/train/optimizer.h"
#include "core/train/process_group.h"
#include "core/train/schedule.h"
#include "core/train/task.h"

namespace yatlab {

/// How much history there was at some time, and what it was.
struct HistoryMark {
  std::int64_t position = 0;  ///< bytes
  std::string sha256 = {};    ///< of those bytes
};

/// Receives what a training run produces. All calls come from the training thread.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  /// One row of history.
  virtual void on_metrics(const TrainTime& at, const Metrics& metrics) = 0;
  virtual void on_progress(const Progress& progress) = 0;
  /// The history written so far; stored in checkpoints.
  virtual HistoryMark mark_history() { return {}; }
  /// Forget history beyond `mark`: the run continues from a checkpoint made there, or (position 0) begins. False, and nothing changed, when
  /// the history is not the one that was marked.
  virtual bool rewind_history(const HistoryMark& mark) = 0;
  /// Something is not as it should be, and what is done about it.
  virtual void on_notice(const std::string& /*text*/) {}
  /// The run continues from the checkpoint of `step`; what was observed beyond is void. After `rewind_history`.
  virtual void on_resume(std::int64_t /*step*/) {}
  /// A checkpoint of `step` lies there, whole. It was written while the training went on: later steps may have been observed.
  virtual void on_checkpoint(std::int64_t /*step*/) {}
};

struct TrainOutcome {
  enum class State { kCompleted, kDiverged, kInterrupted };
  State state = State::kCompleted;
  std::int64_t steps = 0;
  Metrics metrics;  ///< last (with early stopping: best) evaluation, observables; target/reached and
                    ///< target/step; best/step and best/epoch
  std::string why;  ///< for a diverged run
  bool resumed = false;
  std::int64_t samples = 0;  ///< that were trained on since this process began, by all ranks
  double seconds = 0;        ///< that it took, without evaluations and checkpoints; in a stack, its share
  std::size_t stack = 0;     ///< members of the stack that it was trained in, at most; 0: alone
};

class TrainingLoop;

/// Trains one model on one data set. Deterministic: what it returns and writes depends on its inputs
/// and the seed alone, whether or not it was interrupted and resumed in between.
///
/// Three ways to an end: all epochs, `target`, or `early_stopping`, after which the model holds the
/// parameters of its best evaluation. Models that fit themselves are fitted in one go and evaluated once.
class Trainer {
 public:
  Trainer(const TrainerParams& params, std::uint64_t seed, std::filesystem::path checkpoints)
      : params_(params), seed_(seed), checkpoints_(std::move(checkpoints)) {}

  /// Continues from the newest valid checkpoint if there is one. Splits must hold "train"; every
  /// other split is evaluated. `task` has observed "train" already. Returns early when `stop()` says so, after saving a checkpoint.
  ///
  /// With a `group` its ranks train together, each on its part of every batch, and end with the same model. Rank 0 alone reads and writes
  /// checkpoints, evaluates and calls its observer; metrics are its alone. What one rank is asked to stop, all do after the same step.
  /// Throws ContactLost.
  ///
  /// In `together` (what a stack does) the loop is run in place of its own `run`.
  TrainOutcome run(Architecture& model, const Task& task, const std::map<std::string, Split>& splits, Optimizer& optimizer,
                   const Schedule& schedule, TrainObserver& observer, const std::function<bool()>& stop, ProcessGroup* group = nullptr,
                   const std::function<TrainOutcome(TrainingLoop&)>& together = {}) const;

 private:
  TrainOutcome fit(Architecture& model, const Task& task, const std::map<std::string, Split>& splits, TrainObserver& observer,
                   const std::function<bool()>& stop) const;

  TrainerParams params_;
  std::uint64_t seed_;
  std::filesystem::path checkpoints_;
};

}  // namespace yatlab
