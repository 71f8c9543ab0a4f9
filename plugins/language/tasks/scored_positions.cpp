#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/model/language_model.h"
#include "core/train/arm_parts.h"
#include "plugins/kernels/tasks/finite_scores.h"

namespace yatlab {
namespace {

/// One token for each position of a sequence. Inputs and targets are [B, T]; where a target is -1 nothing is predicted. The loss is the mean
/// cross-entropy over all scored positions of a batch, in nats.
class ScoredPositions final : public Task {
 public:
  struct Params {
    static void declare(Fields&, Params&) {}
  };
  explicit ScoredPositions(const Params&) {}

  /// The experiment's normalizer belongs to the attention.
  void set_normalizer(std::shared_ptr<Normalizer>) override {}

  void check(const ArmParts& arm) const override {
    if (arm.data.targets != DataShape::Targets::kUnknown && arm.data.targets != DataShape::Targets::kTokens) {
      throw config_error("task 'scored_positions' needs a data set with answers at some positions of a sequence", {}, {},
                         "use dataset=sequence_task, or task=classification");
    }
    arm.require_language_model("task 'scored_positions'");
  }
  std::vector<MetricDoc> metrics(const ArmParts&) const override {
    return {MetricDoc("accuracy").higher().percent().shown(), MetricDoc("loss").in("nats").lower().shown()};
  }

  /// outputs: logits [B, T, V]
  Tensor loss(const Tensor& outputs, const Tensor& targets) const override {
    const Tensor answers = token_numbers(targets);
    return summed_loss(outputs, answers) / answers.ge(0).sum().clamp_min(1);
  }

  Metrics evaluate(Architecture& model, const Split& split, std::int64_t batch) const override {
    const at::NoGradGuard no_grad;
    const auto on_device = split.targets.options().dtype(at::kDouble);  // sums stay on the device until the end
    Tensor loss = at::zeros({}, on_device), correct = at::zeros({}, on_device), scored = at::zeros({}, on_device);
    for (std::int64_t begin = 0; begin < split.size(); begin += batch) {
      const auto count = std::min(batch, split.size() - begin);
      const Tensor outputs = model.forward(split.inputs.narrow(0, begin, count));
      const Tensor answers = token_numbers(split.targets.narrow(0, begin, count));
      loss += summed_loss(outputs, answers).to(at::kDouble) + nan_unless_finite(outputs);
      correct += outputs.argmax(-1).eq(answers).sum();  // -1 is not a token
      scored += answers.ge(0).sum();
    }
    const double n = scored.item<double>(), mean = loss.item<double>() / n;
    return {{"accuracy", std::isnan(mean) ? mean : correct.item<double>() / n}, {"loss", mean}};
  }

 private:
  static Tensor summed_loss(const Tensor& outputs, const Tensor& answers) {
    return at::nll_loss(at::log_softmax(outputs.flatten(0, 1).to(at::kFloat), 1), answers.flatten(), {}, at::Reduction::Sum, -1);
  }
};

YATLAB_REGISTER(Task, ScoredPositions, "scored_positions", "cross-entropy and accuracy at the positions that a data set scores");

}  // namespace
}  // namespace yatlab
