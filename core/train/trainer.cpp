#include "core/train/trainer.h"

#include <ATen/ATen.h>

#include "core/model/build_model.h"
#include "core/model/checkpoint.h"
#include "core/train/evaluate_splits.h"
#include "core/train/training_loop.h"
#include "core/train/training_position.h"

namespace yatlab {

TrainOutcome Trainer::run(Architecture& model, const Task& task, const std::map<std::string, Split>& splits, Optimizer& optimizer,
                          const Schedule& schedule, TrainObserver& observer, const std::function<bool()>& stop, ProcessGroup* group,
                          const std::function<TrainOutcome(TrainingLoop&)>& together) const {
  if (model.fits_itself()) return fit(model, task, splits, observer, stop);
  TrainingLoop loop(params_, seed_, checkpoints_, {model, task, splits, optimizer, schedule, observer, stop, group});
  return together ? together(loop) : loop.run();
}

TrainOutcome Trainer::fit(Architecture& model, const Task& task, const std::map<std::string, Split>& splits, TrainObserver& observer,
                          const std::function<bool()>& stop) const {
  TrainOutcome outcome;
  observer.rewind_history({});
  const auto validation = splits.find("validation");
  FitContext context{splits.at("train").in_tensors("a model that fits itself")};
  if (validation != splits.end()) context.validation = &validation->second;
  context.seed = seed_;
  context.threads = params_.threads;
  const auto samples = context.train.size();
  context.progress = [&](std::int64_t done, std::int64_t total) { observer.on_progress({done, total, 1, 1, samples, 0}); };
  context.stop = [&] { return stop(); };
  {
    at::NoGradGuard no_grad;
    model.fit(context);
  }
  if (stop()) {
    outcome.state = TrainOutcome::State::kInterrupted;
    return outcome;
  }
  outcome.steps = 1;
  outcome.metrics = evaluate_splits(params_, model, task, splits);
  observer.on_metrics({1, 1, samples}, outcome.metrics);
  if (const auto metric = not_finite(params_, task, splits, outcome.metrics)) {
    outcome.state = TrainOutcome::State::kDiverged;
    outcome.why = not_finite_text(outcome.metrics, *metric, outcome.steps);
  }
  TrainingPosition end;
  end.step = 1;
  end.metrics = outcome.metrics;
  CheckpointStore(checkpoints_).save({1, model_tensors(model), {}, end.to_text(observer.mark_history())});
  observer.on_checkpoint(1);
  return outcome;
}

}  // namespace yatlab
