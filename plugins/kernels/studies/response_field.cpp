#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/base/error.h"
#include "core/measure/study.h"
#include "plugins/kernels/studies/plane.h"

namespace yatlab {
namespace {

/// One unit's response to every point of a square, and its gradient with respect to the point (paper,
/// fig:yat_product_analysis and fig:yat_potential_well). Everything in double.
class ResponseField final : public Study {
 public:
  struct Params {
    std::string artifact = "response_field";
    std::vector<double> weight = {1.0, 0.5};
    std::int64_t arrows = 15;
    Plane plane;
    static void declare(Fields& f, Params& p) {
      f.field("artifact", p.artifact, "name of the artifact and first part of the metrics' names");
      f.field("weight", p.weight, "the unit's weight vector, two numbers");
      f.field("arrows", p.arrows, "gradient arrows along each side").min(1);
      Plane::declare(f, p.plane);
    }
  };
  explicit ResponseField(const Params& p) : p_(p) {
    p_.plane.check("response_field");
    if (p_.weight.size() != 2) throw config_error("response_field.weight must have two coordinates", {}, {}, "write weight: [1.0, 0.5]");
  }

  FindingNames names(const ArmParts&) const override {
    return {with_prefix(p_.artifact + "/", {MetricDoc("at_weight").called("response at x = w").neither().shown(),
                                            MetricDoc("largest").called("largest response").neither().shown(),
                                            MetricDoc("smallest").called("smallest response").neither().shown(),
                                            MetricDoc("steepest").called("largest gradient norm").neither().shown()}),
            {p_.artifact}};
  }
  void check(const ArmParts& arm) const override { arm.require_operator("study 'response_field'"); }

  Findings run(const StudyContext& context) const override {
    if (!context.op) throw config_error("study 'response_field' needs an operator", "operator");
    const auto op = context.op->make();
    const Tensor w = at::tensor(p_.weight, at::kDouble).view({1, 2});
    Plane coarse = p_.plane;
    coarse.resolution = p_.arrows;
    const Tensor x = coarse.points().requires_grad_(true);
    const Tensor slope = torch::autograd::grad({op->scores(x, w).sum()}, {x})[0];

    at::NoGradGuard no_grad;
    const Tensor values = op->scores(p_.plane.points(), w).view(-1);
    const double at_weight = op->scores(w, w).item<double>();
    Findings out;
    out.metrics[p_.artifact + "/at_weight"] = at_weight;
    out.metrics[p_.artifact + "/largest"] = values.max().item<double>();
    out.metrics[p_.artifact + "/smallest"] = values.min().item<double>();
    out.metrics[p_.artifact + "/steepest"] = slope.norm(2, -1).max().item<double>();
    nlohmann::ordered_json json = {{"weight", p_.weight}, {"at_weight", at_weight}};
    if (const Node* e = context.op->spec().find("epsilon")) json["epsilon"] = e->as_double();
    json["uses_epsilon"] = op->traits().has_epsilon;
    json["grid"] = grid_to_json(p_.plane.grid(values));
    json["arrows"] = {{"from", tensor_to_json(x)}, {"gradient", tensor_to_json(slope)}};
    out.artifacts[p_.artifact] = std::move(json);
    return out;
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Study, ResponseField, "response_field", "response and gradient of one unit over the plane");

}  // namespace
}  // namespace yatlab
