#include "core/train/evaluate_splits.h"

namespace yatlab {
namespace {

/// measure(split): of one split. What comes out is put together by add(split's name, that).
template <class Measure, class Add>
void each_measured(const TrainerParams& params, Architecture& model, const std::map<std::string, Split>& splits, const Measure& measure,
                   const Add& add) {
  model.eval();
  for (const auto& [name, split] : splits) {
    if (name == "train" && !params.eval_train) continue;
    add(name, measure(split.in_tensors("evaluation (trainer.eval_train)")));
  }
}

void add_named(const std::string& split, const Metrics& metrics, Metrics& row) {
  for (const auto& [metric, value] : metrics) row[split + "/" + metric] = value;
}

}  // namespace

Metrics evaluate_splits(const TrainerParams& params, Architecture& model, const Task& task, const std::map<std::string, Split>& splits) {
  Metrics row;
  each_measured(
      params, model, splits, [&](const Split& split) { return task.evaluate(model, split, params.eval_batch_size); },
      [&](const std::string& split, const Metrics& metrics) { add_named(split, metrics, row); });
  for (const auto& [name, value] : model.observables()) row[name] = value;
  model.train();
  return row;
}

std::vector<Metrics> evaluate_stacked(const TrainerParams& params, Architecture& model, std::int64_t members, const Task& task,
                                      const std::map<std::string, Split>& splits) {
  std::vector<Metrics> rows(static_cast<std::size_t>(members));
  each_measured(
      params, model, splits, [&](const Split& split) { return task.stacked_evaluate(model, members, split, params.eval_batch_size); },
      [&](const std::string& split, const std::vector<Metrics>& of_members) {
        if (of_members.empty()) rows.clear();
        for (std::size_t m = 0; m < rows.size(); ++m) add_named(split, of_members[m], rows[m]);
      });
  model.train();
  return rows;
}

}  // namespace yatlab
