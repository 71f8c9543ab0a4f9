#include <ATen/ATen.h>

#include <cmath>

#include "core/base/error.h"
#include "core/train/arm_parts.h"
#include "core/train/stacked_task.h"
#include "plugins/kernels/tasks/class_loss.h"
#include "plugins/kernels/tasks/finite_scores.h"

namespace yatlab {

/// Single-label classification: cross-entropy of the normalizer's weights, accuracy of the largest
/// score.
class Classification final : public StackedTask {
 public:
  struct Params {
    double label_smoothing = 0.0;
    static void declare(Fields& f, Params& p) {
      f.field("label_smoothing", p.label_smoothing, "share of the target spread over all classes").range(0, 1);
    }
  };
  explicit Classification(const Params& p) : p_(p) {}

  void set_normalizer(std::shared_ptr<Normalizer> normalizer) override {
    if (normalizer && !normalizer->competitive()) {
      throw config_error("classification needs weights that sum to 1 over the classes", "normalizer",
                         "this normalizer maps each score separately", "use normalizer=softmax or normalizer=softermax");
    }
    normalizer_ = std::move(normalizer);
  }

  void check(const ArmParts& arm) const override {
    if (arm.data.targets == DataShape::Targets::kUnknown || arm.data.targets == DataShape::Targets::kClasses) return;
    const bool tokens = arm.data.targets == DataShape::Targets::kTokens;
    throw config_error("task 'classification' needs a data set with one class for each sample", {},
                       tokens ? "this one is text" : "this one has several labels per sample",
                       tokens ? "use task=language_modeling, or dataset=mnist" : "use task=multilabel, or dataset=mnist");
  }
  std::vector<MetricDoc> metrics(const ArmParts&) const override {
    return {MetricDoc("accuracy").higher().percent().shown(), MetricDoc("loss").in("nats").lower().shown()};
  }

  Tensor loss(const Tensor& outputs, const Tensor& targets) const override {
    if (plain() && outputs.dim() == 2) return class_losses(outputs, targets);
    const Tensor log_weights = normalizer_ ? normalizer_->log_normalize(outputs, -1) : at::log_softmax(outputs, -1);
    const Tensor nll = at::nll_loss(log_weights, targets);
    if (p_.label_smoothing == 0.0) return nll;
    return (1.0 - p_.label_smoothing) * nll - p_.label_smoothing * log_weights.mean();
  }

  Tensor stacked_loss(const Tensor& outputs, const Tensor& targets) const override {
    if (plain()) return class_losses(outputs, targets);
    const Tensor log_weights = normalizer_ ? normalizer_->log_normalize(outputs, -1) : at::log_softmax(outputs, -1);
    const Tensor nll = -log_weights.gather(-1, targets.unsqueeze(-1)).squeeze(-1).mean(1);
    if (p_.label_smoothing == 0.0) return nll;
    return (1.0 - p_.label_smoothing) * nll - p_.label_smoothing * log_weights.mean(at::IntArrayRef{1, 2});
  }

  Metrics evaluate(Architecture& model, const Split& split, std::int64_t batch) const override {
    at::NoGradGuard no_grad;
    // On the device until the end.
    Tensor correct = at::zeros({}, split.targets.options()), total_loss = at::zeros({}, split.targets.options().dtype(at::kDouble));
    for (std::int64_t begin = 0; begin < split.size(); begin += batch) {
      const auto count = std::min(batch, split.size() - begin);
      const Tensor outputs = model.forward(split.inputs.narrow(0, begin, count));
      const Tensor targets = split.targets.narrow(0, begin, count);
      correct += outputs.argmax(-1).eq(targets).sum();
      total_loss += loss(outputs, targets).to(at::kDouble) * static_cast<double>(count) + nan_unless_finite(outputs);
    }
    return measured(correct, total_loss, split.size());
  }

  std::vector<Metrics> stacked_evaluate(Architecture& model, std::int64_t members, const Split& split, std::int64_t batch) const override {
    at::NoGradGuard no_grad;
    // No more rows at once, of all members, than stay near the core; at least as many as fill a matrix product.
    const auto part = std::min(batch, std::max<std::int64_t>(64, 16384 / members));
    Tensor correct = at::zeros({members}, split.targets.options()),
           total_loss = at::zeros({members}, split.targets.options().dtype(at::kDouble));
    for (std::int64_t begin = 0; begin < split.size(); begin += part) {
      const auto count = std::min(part, split.size() - begin);
      const Tensor outputs = model.forward(split.inputs.narrow(0, begin, count).unsqueeze(0));
      const Tensor targets = split.targets.narrow(0, begin, count).unsqueeze(0).expand({members, count});
      correct += outputs.argmax(-1).eq(targets).sum(-1);
      total_loss += stacked_loss(outputs, targets).to(at::kDouble) * static_cast<double>(count) + nan_unless_finite(outputs, 1);
    }
    std::vector<Metrics> out;
    for (std::int64_t m = 0; m < members; ++m) out.push_back(measured(correct[m], total_loss[m], split.size()));
    return out;
  }

 private:
  static Metrics measured(const Tensor& correct, const Tensor& total_loss, std::int64_t samples) {
    const double n = static_cast<double>(samples), loss = total_loss.item<double>() / n;
    const double accuracy = static_cast<double>(correct.item<std::int64_t>()) / n;
    return {{"accuracy", std::isnan(loss) ? loss : accuracy}, {"loss", loss}};
  }
  /// Cross-entropy under softmax, and no more.
  bool plain() const { return !normalizer_ && p_.label_smoothing == 0.0; }

  Params p_;
  std::shared_ptr<Normalizer> normalizer_;
};

YATLAB_REGISTER(Task, Classification, "classification", "cross-entropy and accuracy");

}  // namespace yatlab
