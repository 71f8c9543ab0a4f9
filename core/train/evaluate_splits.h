#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/experiment/trainer_params.h"
#include "core/model/architecture.h"
#include "core/train/stacked_task.h"

namespace yatlab {

/// The task's metrics on every split, as "<split>/<metric>", and the model's observables. The training split only with
/// `trainer.eval_train`. The model is in training mode afterwards.
Metrics evaluate_splits(const TrainerParams& params, Architecture& model, const Task& task, const std::map<std::string, Split>& splits);

/// The same for all members of a stack (core/train/training_stack.h), without their observables. Empty if the task evaluates each member separately.
std::vector<Metrics> evaluate_stacked(const TrainerParams& params, Architecture& model, std::int64_t members, const StackedTask& task,
                                      const std::map<std::string, Split>& splits);

/// The metric, such as "test/loss", by which a row of `evaluate_splits` shows that the model's scores are not finite (Task::not_finite); nullopt if
/// they are.
std::optional<std::string> not_finite(const TrainerParams& params, const Task& task, const std::map<std::string, Split>& splits,
                                      const Metrics& row);

/// "test/loss is nan at step 1": the reason why a run diverged. metric: of that row.
std::string not_finite_text(const Metrics& row, const std::string& metric, std::int64_t step);

}  // namespace yatlab
