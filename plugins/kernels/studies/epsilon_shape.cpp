#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/measure/study.h"

namespace yatlab {
namespace {

/// The effect of epsilon on the response of one unit w = (|w|, 0): along the line through w, x = t w, and across it, x = w + s |w| e2, there relative
/// to the response at w (paper, fig:yat_robustness a). Across, the yat-product falls to one half at s |w| = sqrt(epsilon).
class EpsilonShape final : public Study {
 public:
  struct Params {
    std::vector<double> epsilons = {0.01, 0.1, 0.5, 1};
    double norm = 1, from = -1, to = 3, across = 2;
    std::int64_t points = 401;
    static void declare(Fields& f, Params& p) {
      f.field("epsilons", p.epsilons, "one curve for each, if the operator uses epsilon").positive();
      f.field("norm", p.norm, "norm of the unit's weights, |w|").positive();
      f.field("from", p.from, "first t, in x = t w");
      f.field("to", p.to, "last t, in x = t w");
      f.field("across", p.across, "largest |s|, in x = w + s |w| e2").positive();
      f.field("points", p.points, "points on each curve").min(2);
    }
  };
  explicit EpsilonShape(const Params& p) : p_(p) {
    if (p_.from >= p_.to) throw config_error("epsilon_shape.from must be below epsilon_shape.to", {}, {}, "write from: -1, to: 3");
  }

  FindingNames names(const ArmParts& arm) const override {
    FindingNames out{{}, {"epsilon_shape"}};
    if (!uses_epsilon(OperatorChoice(arm.operator_spec))) {
      out.metrics.push_back(MetricDoc("shape/at_weight").called("response at x = w").neither().shown());
    } else {
      for (const double epsilon : p_.epsilons) {
        out.metrics.push_back(
            MetricDoc(at_weight_of(epsilon)).called(fmt::format("response at x = w, ε = {:g}", epsilon)).neither().shown());
      }
    }
    return out;
  }
  void check(const ArmParts& arm) const override { arm.require_operator("study 'epsilon_shape'"); }

  Findings run(const StudyContext& context) const override {
    if (!context.op) throw config_error("study 'epsilon_shape' needs an operator", "operator");
    at::NoGradGuard no_grad;
    const auto options = at::TensorOptions(at::kDouble);
    const Tensor w = at::tensor({p_.norm, 0.0}, options).view({1, 2});
    const Tensor side = at::tensor({0.0, p_.norm}, options).view({1, 2});
    const Tensor t = at::linspace(p_.from, p_.to, p_.points, options);
    const Tensor s = at::linspace(-p_.across, p_.across, p_.points, options);
    const auto list = [](const Tensor& v) {
      const Tensor flat = v.contiguous().view(-1);
      return std::vector<double>(flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
    };
    Findings out;
    const bool uses = uses_epsilon(*context.op);
    nlohmann::ordered_json json = {{"norm", p_.norm}, {"t", list(t)}, {"s", list(s)}, {"uses_epsilon", uses}};
    const auto add = [&](const Operator& op, double epsilon) {
      const double at_weight = op.scores(w, w).item<double>();
      const Tensor cut = op.scores(w + s.view({-1, 1}) * side, w);
      json["curves"].push_back(
          {{"epsilon", epsilon}, {"at_weight", at_weight}, {"along", list(op.scores(t.view({-1, 1}) * w, w))}, {"across", list(cut)}});
      out.metrics[uses ? at_weight_of(epsilon) : "shape/at_weight"] = at_weight;
    };
    if (uses) {
      for (const double epsilon : p_.epsilons) add(*context.op->with_epsilon(epsilon), epsilon);
    } else {
      add(*context.op->make(), 0);
    }
    out.artifacts["epsilon_shape"] = std::move(json);
    return out;
  }

 private:
  static bool uses_epsilon(const OperatorChoice& op) { return op.make()->traits().has_epsilon && op.has_parameter("epsilon"); }
  static std::string at_weight_of(double epsilon) { return fmt::format("shape/epsilon={:g}/at_weight", epsilon); }

  Params p_;
};

YATLAB_REGISTER(Study, EpsilonShape, "epsilon_shape", "what epsilon does to the shape of the response");

}  // namespace
}  // namespace yatlab
