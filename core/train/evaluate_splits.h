#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/train/architecture.h"
#include "core/train/task.h"
#include "core/train/trainer_params.h"

namespace yatlab {

/// The task's metrics on every split, as "<split>/<metric>", and the model's observables. The training split only with
/// `trainer.eval_train`. The model is in training mode afterwards.
Metrics evaluate_splits(const TrainerParams& params, Architecture& model, const Task& task, const std::map<std::string, Split>& splits);

/// The same of a stack's members (core/train/training_stack.h), but for their observables, which are each one's own. Empty where the task
/// measures each alone.
std::vector<Metrics> evaluate_stacked(const TrainerParams& params, Architecture& model, std::int64_t members, const Task& task,
                                      const std::map<std::string, Split>& splits);

}  // namespace yatlab
