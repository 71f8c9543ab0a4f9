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

/// The length and hash of the history at some time.
struct HistoryMark {
  std::int64_t position = 0;  ///< bytes
  std::string sha256 = {};    ///< of those bytes
};

/// Receives the results of a training run. All calls come from the training thread.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  /// One row of history.
  virtual void on_metrics(const TrainTime& at, const Metrics& metrics) = 0;
  virtual void on_progress(const Progress& progress) = 0;
  /// The history written so far; stored in checkpoints.
  virtual HistoryMark mark_history() { return {}; }
  /// Removes the history beyond `mark`: the run continues from a checkpoint made there, or (position 0) begins. Returns false, and changes nothing,
  /// when the history differs from the marked one.
  virtual bool rewind_history(const HistoryMark& mark) = 0;
  /// Something is wrong, and how it is handled.
  virtual void on_notice(const std::string& /*text*/) {}
  /// The run continues from the checkpoint of `step`; later observations are void. Called after `rewind_history`.
  virtual void on_resume(std::int64_t /*step*/) {}
  /// The checkpoint of `step` is completely written. It was written while the training continued: later steps may have been observed.
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
  std::int64_t samples = 0;  ///< trained on since this process began, by all ranks
  double seconds = 0;        ///< training time, without evaluations and checkpoints; in a stack, its share
  std::size_t stack = 0;     ///< most members of the stack that it was trained in; 0: alone
};

class TrainingLoop;

/// Trains one model on one data set. Deterministic: its results and files depend on its inputs and the seed alone, even if it was interrupted and
/// resumed.
///
/// A training ends after all epochs, at `target`, or by `early_stopping`, after which the model holds the parameters of its best evaluation. Models
/// that fit themselves are fitted in one call and evaluated once.
class Trainer {
 public:
  Trainer(const TrainerParams& params, std::uint64_t seed, std::filesystem::path checkpoints)
      : params_(params), seed_(seed), checkpoints_(std::move(checkpoints)) {}

  /// Continues from the newest valid checkpoint if there is one. Splits must contain "train"; every other split is evaluated. `task` has observed
  /// "train" already. Returns early when `stop()` returns true, after saving a checkpoint.
  ///
  /// With a `group` its ranks train together, each on its part of every batch, and end with the same model. Only rank 0 reads and writes checkpoints,
  /// evaluates, calls its observer and has metrics. A stop requested on one rank stops all ranks after the same step. Throws ContactLost.
  ///
  /// If `together` is given (by a stack), it runs the loop in place of the loop's own `run`.
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
