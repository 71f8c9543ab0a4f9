#include "core/train/evaluate_splits.h"

namespace yatlab {

Metrics evaluate_splits(const TrainerParams& params, Architecture& model, const Task& task, const std::map<std::string, Split>& splits) {
  model.eval();
  Metrics row;
  for (const auto& [name, split] : splits) {
    if (name == "train" && !params.eval_train) continue;
    const auto& data = split.in_tensors("evaluation (trainer.eval_train)");
    for (const auto& [metric, value] : task.evaluate(model, data, params.eval_batch_size)) row[name + "/" + metric] = value;
  }
  for (const auto& [name, value] : model.observables()) row[name] = value;
  model.train();
  return row;
}

}  // namespace yatlab
