#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/data/batches.h"
#include "core/train/checkpoint_writer.h"
#include "core/train/gradient_exchange.h"
#include "core/train/trainer.h"
#include "core/train/training_position.h"

namespace yatlab {

/// What a training is made of, besides its settings. All of it outlives the training.
struct TrainingParts {
  Architecture& model;
  const Task& task;
  const std::map<std::string, Split>& splits;
  Optimizer& optimizer;
  const Schedule& schedule;
  TrainObserver& observer;
  const std::function<bool()>& stop;
  ProcessGroup* group = nullptr;
};

/// One training by gradient descent, from where its newest checkpoint left it to its end: what Trainer::run does. Used once.
class TrainingLoop {
 public:
  TrainingLoop(const TrainerParams& params, std::uint64_t seed, const std::filesystem::path& checkpoints, const TrainingParts& parts);
  TrainOutcome run();

 private:
  using Clock = std::chrono::steady_clock;

  /// What became of an update.
  struct Step {
    double loss = 0;        ///< mean over the batch
    std::int64_t size = 0;  ///< samples, of all ranks
    bool asked = false;     ///< to stop, by any rank; without ranks nobody is asked before the end of the step
    bool diverged = false;  ///< nothing was updated
    Metrics logged;         ///< for a row of history
    Tensor gradient_norm;   ///< before clipping, where it is clipped: read when a row is due
  };

  // Where it begins.
  std::optional<Checkpoint> usable_checkpoint();
  void resume();
  void share_position();

  // One update. `epoch` counts from 0.
  Step take_step(std::int64_t epoch);
  void compute_gradients(const Batch& batch, Step& step);
  void observe(const Step& step, std::int64_t epoch);

  // Evaluations, and what they decide. `epoch`: those that are over.
  void evaluate(std::int64_t epoch);
  void note_best(std::int64_t epoch);
  void note_target();
  void note_useless();
  void decide();
  bool done() const { return at_.step == total_ || good_enough_ || useless_; }
  bool evaluation_due(std::int64_t epoch) const;
  const double* named_metric(const std::string& name, const char* key, const char* hint) const;

  // Checkpoints.
  bool planned() const { return params_.checkpoint_steps && at_.step % *params_.checkpoint_steps == 0; }
  bool overdue() const;
  void save(bool passing);
  void report_written(std::optional<std::int64_t> step);

  // How it ends.
  void hold_best();
  void require_equal_ranks(bool with_gradients) const;
  TrainOutcome end(TrainOutcome::State state);
  TrainOutcome end_diverged(const Step& step);
  TrainOutcome end_useless();

  TrainTime time_of(std::int64_t step) const;

  const TrainerParams& params_;
  std::uint64_t seed_;
  TrainingParts parts_;
  bool leads_;  ///< reads and writes, evaluates, observes: rank 0
  Batches batches_;
  std::int64_t per_epoch_, samples_per_epoch_, total_, epochs_;
  std::vector<Tensor> parameters_;
  CheckpointStore store_;
  CheckpointWriter writer_;
  std::unique_ptr<GradientExchange> exchange_;

  TrainingPosition at_;
  TrainOutcome outcome_;
  std::int64_t ordered_epoch_ = -1;
  bool good_enough_ = false;  ///< or no longer improving
  bool useless_ = false;      ///< diverged by its evaluations
  bool compared_ = false;     ///< with other ranks, since this process began
  Clock::time_point last_checkpoint_ = Clock::now();
};

}  // namespace yatlab
