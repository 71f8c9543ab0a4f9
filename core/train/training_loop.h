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

/// The parts of a training, besides its settings. All of them must outlive the training.
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

/// Identifies a batch: two equal places hold the same samples in the same order.
struct BatchPlace {
  const void* data = nullptr;
  bool shuffled = false;
  std::uint64_t seed = 0;  ///< of the epoch's order
  std::int64_t index = 0, size = 0;

  bool operator==(const BatchPlace& o) const {
    return data == o.data && shuffled == o.shuffled && seed == o.seed && index == o.index && size == o.size;
  }
};

/// One training by gradient descent, from its newest checkpoint to its end: the implementation of Trainer::run. Used once.
class TrainingLoop {
 public:
  using Clock = std::chrono::steady_clock;

  /// An update and its results.
  struct Step {
    std::int64_t epoch = 0;                   ///< from 0
    std::int64_t index = 0;                   ///< of its batch in the epoch
    std::int64_t size = 0;                    ///< samples, of all ranks
    Clock::time_point begun = {};             ///< for rates
    double loss = 0;                          ///< mean over the batch
    std::optional<bool> stop_requested = {};  ///< by any rank or for the whole stack; if empty, checked at the end of the step
    double rate = 0;                          ///< learning rate
    Tensor gradient_norm = {};                ///< before clipping, if clipped; read when a row is due
    bool taken = false;                       ///< the parameters were updated: the loss was not too large
    std::optional<Metrics> measured = {};     ///< set by a caller that evaluated in place of this training: "test/loss" and the like
  };

  TrainingLoop(const TrainerParams& params, std::uint64_t seed, const std::filesystem::path& checkpoints, const TrainingParts& parts);
  TrainOutcome run();

  // The steps of `run`, for callers that compute the gradients of several trainings at once (core/train/training_stack.h): prepare, begin; until it
  // is over, begin_step, gradients and loss, update, end_step; finish.
  /// Restores the position from the newest checkpoint.
  void prepare();
  /// Records step 0 of the learning curve, unless it resumes. `measured`: see Step.
  void begin(const std::optional<Metrics>& measured = {});
  bool over() const { return diverged_ || interrupted_ || done(); }
  Step begin_step();
  /// Updates the parameters from their gradients, unless the loss is too large.
  void update(Step& step);
  /// Does whatever is due: a row of history, an evaluation, a checkpoint, the end.
  void end_step(const Step& step);
  TrainOutcome finish();

  BatchPlace place_of(const Step& step);
  /// Valid until the next call.
  Batch batch_of(const Step& step);
  /// Sets the tensors into which dense batches are gathered from now on: [B, ...], of the data's types.
  void gather_into(const Tensor& inputs, const Tensor& targets) { batches_.gather_into(inputs, targets); }
  std::int64_t largest_batch() const { return batches_.size_of(0); }
  bool wants_stop() const { return parts_.stop(); }
  /// Whether `begin` will evaluate; `evaluation_due`: after an update, whether end_step will.
  bool begins_anew() const { return !outcome_.resumed; }
  bool evaluation_due(const Step& step) const;
  /// Whether both evaluate the same samples, in batches of the same size.
  bool measures_as(const TrainingLoop& other) const;
  /// Evaluates the given model: this training's, or a stack of such models.
  std::vector<Metrics> measure_stacked(Architecture& model, std::int64_t members) const;
  /// Computes this training's own gradients.
  void compute_gradients(Step& step);

 private:
  // Start.
  std::optional<Checkpoint> usable_checkpoint();
  void resume();
  void share_position();

  // One update.
  std::uint64_t order_seed(std::int64_t epoch);
  void observe(const Step& step);

  // Evaluations, and the decisions based on them. `epoch`: finished epochs.
  void evaluate(std::int64_t epoch, const std::optional<Metrics>& measured = {});
  void note_best(std::int64_t epoch);
  void note_target();
  void note_evaluation_without_learning();
  void decide();
  bool done() const { return at_.step == total_ || good_enough_ || not_learning_ || not_finite_; }
  /// The metric of the newest evaluation that shows non-finite model scores, if any.
  std::optional<std::string> metric_not_finite() const;
  const double* named_metric(const std::string& name, const char* key, const char* hint) const;

  // Checkpoints.
  bool planned() const { return params_.checkpoint_steps && at_.step % *params_.checkpoint_steps == 0; }
  bool overdue() const;
  void save(bool passing);
  /// Call it before parameters and the optimizer's state change.
  void release_parameters();
  void report_written(std::optional<std::int64_t> step);

  // End.
  void restore_best();
  void require_equal_ranks(bool with_gradients) const;
  TrainOutcome end(TrainOutcome::State state);
  TrainOutcome end_diverged(double loss);
  TrainOutcome end_not_learning();
  TrainOutcome end_not_finite();

  TrainTime time_of(std::int64_t step) const;

  const TrainerParams& params_;
  std::uint64_t seed_;
  TrainingParts parts_;
  bool leads_;  ///< rank 0: reads and writes, evaluates, observes
  Batches batches_;
  std::int64_t per_epoch_, samples_per_epoch_, total_, epochs_;
  std::vector<Tensor> parameters_;
  CheckpointStore store_;
  CheckpointWriter writer_;
  std::unique_ptr<GradientExchange> exchange_;

  TrainingPosition at_;
  TrainOutcome outcome_;
  std::int64_t ordered_epoch_ = -1, seeded_epoch_ = -1;
  std::uint64_t order_seed_ = 0;  ///< of that epoch
  bool good_enough_ = false;      ///< target reached or no longer improving
  bool not_learning_ = false;     ///< diverged by its evaluations
  bool not_finite_ = false;       ///< diverged: its newest evaluation found non-finite numbers
  bool interrupted_ = false;
  bool passing_ = false;            ///< of the checkpoint that was begun last
  std::optional<double> diverged_;  ///< the loss that was too large
  bool compared_ = false;           ///< with other ranks, since this process began
  Clock::time_point last_checkpoint_ = Clock::now();
};

}  // namespace yatlab
