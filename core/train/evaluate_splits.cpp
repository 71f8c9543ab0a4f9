#include "core/train/evaluate_splits.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace yatlab {
namespace {

bool is_evaluated(const TrainerParams& params, const std::string& split) { return split != "train" || params.eval_train; }

/// Calls measure(split) for each split, and add(name of the split, result) with its result.
template <class Measure, class Add>
void each_measured(const TrainerParams& params, Architecture& model, const std::map<std::string, Split>& splits, const Measure& measure,
                   const Add& add) {
  model.eval();
  for (const auto& [name, split] : splits) {
    if (!is_evaluated(params, name)) continue;
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

std::vector<Metrics> evaluate_stacked(const TrainerParams& params, Architecture& model, std::int64_t members, const StackedTask& task,
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

std::optional<std::string> not_finite(const TrainerParams& params, const Task& task, const std::map<std::string, Split>& splits,
                                      const Metrics& row) {
  for (const auto& [split, samples] : splits) {
    if (!is_evaluated(params, split)) continue;
    const auto prefix = split + "/";
    Metrics measured;
    for (auto it = row.lower_bound(prefix); it != row.end() && it->first.rfind(prefix, 0) == 0; ++it) {
      measured.emplace(it->first.substr(prefix.size()), it->second);
    }
    if (const auto metric = task.not_finite(measured)) return prefix + *metric;
  }
  return std::nullopt;
}

std::string not_finite_text(const Metrics& row, const std::string& metric, std::int64_t step) {
  return fmt::format("{} is {} at step {}", metric, format_double(row.at(metric)), step);
}

}  // namespace yatlab
