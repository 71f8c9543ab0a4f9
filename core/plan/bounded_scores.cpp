#include "core/plan/bounded_scores.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/data/dataset.h"
#include "core/model/build_model.h"
#include "core/ops/normalizer.h"
#include "core/ops/score_range.h"
#include "core/train/task.h"

namespace yatlab {
namespace {

/// Whether the last layer is the experiment's operator, and could have a factor (ScaleParams) but has none.
bool returns_bare_scores(const Node& architecture) {
  const Node *scale = architecture.find("scale"), *operators = architecture.find("operators");
  if (!scale || !scale->is_string() || scale->as_string() != "none" || !architecture.has("alpha_init")) return false;
  if (!operators || !operators->is_list() || operators->size() == 0) return true;
  const Node& last = operators->as_list().back();
  return last.is_string() && last.as_string() == "operator";
}

}  // namespace

std::string bounded_scores(const Node& frozen) {
  constexpr double kMatters = 0.01;  // of a loss
  for (const char* key : {"operator", "architecture", "task", "dataset"}) {
    if (const Node* node = frozen.find(key); !node || node->is_null()) return {};
  }
  if (!returns_bare_scores(frozen.at("architecture"))) return {};
  const auto range = score_range(*Registry<Operator>::create(frozen.at("operator")));
  if (!range) return {};
  const auto data = Registry<Dataset>::create(frozen.at("dataset"))->shape();
  if (data.targets != DataShape::Targets::kClasses) return {};
  const auto task = Registry<Task>::create(frozen.at("task"));
  if (const Node* normalizer = frozen.find("normalizer")) task->set_normalizer(optional_component<Normalizer>(*normalizer));
  const auto least = [&](double factor) {  // its own class has the largest possible score, and all others the smallest
    Tensor scores = at::full({1, std::max<std::int64_t>(2, data.num_classes)}, factor * range->low, at::kDouble);
    scores[0][0] = factor * range->high;
    return task->loss(scores, at::zeros({1}, at::kLong)).item<double>();
  };
  if (least(1) - least(100) < kMatters) return {};
  return fmt::format(
      "scores are in [{:.4g}, {:.4g}], so the loss over {}classes of equal size stays above {:.2f}; 'architecture.scale=multiply "
      "architecture.alpha_init=10' learns a factor for the scores",
      range->low, range->high, data.num_classes > 0 ? fmt::format("{} ", data.num_classes) : "", least(1));
}

}  // namespace yatlab
