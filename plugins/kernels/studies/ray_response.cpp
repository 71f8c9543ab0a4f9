#include <ATen/ATen.h>

#include <cmath>

#include "core/base/error.h"
#include "core/measure/study.h"

namespace yatlab {
namespace {

/// x = k |w| (cos theta, sin theta) against w = (|w|, 0): the response over theta for several radii k, and over k for several theta, with the paper's
/// limit |w|^2 cos^2 theta (prop:self-regulation, fig:yat_geometry_properties). Whether an operator has that limit is measured, not assumed.
class RayResponse final : public Study {
 public:
  struct Params {
    double norm = 1, radius_min = 0.05, radius_max = 100;
    std::vector<double> radii = {0.5, 1, 2, 5}, angles = {0, 30, 45, 60, 90};
    std::int64_t points = 361;
    static void declare(Fields& f, Params& p) {
      f.field("norm", p.norm, "norm of the unit's weights, |w|").positive();
      f.field("radii", p.radii, "|x| / |w| of each curve over the angle").positive();
      f.field("angles", p.angles, "angle of each curve over the radius, in degrees").range(0, 180);
      f.field("radius_min", p.radius_min, "first radius of the curves over the radius").positive();
      f.field("radius_max", p.radius_max, "last radius of the curves over the radius").positive();
      f.field("points", p.points, "points on each curve").min(2);
    }
  };
  explicit RayResponse(const Params& p) : p_(p) {
    if (p_.radius_min >= p_.radius_max)
      throw config_error("ray_response.radius_min must be below radius_max", {}, {}, "write radius_min: 0.05, radius_max: 100");
  }

  FindingNames names(const ArmParts&) const override {
    return {{MetricDoc("rays/limit_error").called("distance from the limit far out").lower().shown(),
             MetricDoc("rays/orthogonal").called("response at 90 degrees").neither().shown()},
            {"ray_response"}};
  }
  void check(const ArmParts& arm) const override { arm.require_operator("study 'ray_response'"); }

  Findings run(const StudyContext& context) const override {
    if (!context.op) throw config_error("study 'ray_response' needs an operator", "operator");
    at::NoGradGuard no_grad;
    const auto op = context.op->make();
    const auto n = p_.points;
    const auto options = at::TensorOptions(at::kDouble);
    const Tensor w = at::tensor({p_.norm, 0.0}, options).view({1, 2});
    const auto respond = [&](const Tensor& radius, const Tensor& degrees) {
      const Tensor theta = degrees * (M_PI / 180);
      const Tensor x = at::stack({radius * theta.cos(), radius * theta.sin()}, -1) * p_.norm;
      return op->scores(x, w).view(-1).contiguous();
    };
    const auto list = [](const Tensor& t) { return std::vector<double>(t.data_ptr<double>(), t.data_ptr<double>() + t.numel()); };
    Findings out;
    nlohmann::ordered_json json = {{"norm", p_.norm}};
    if (const Node* e = context.op->spec().find("epsilon")) json["epsilon"] = e->as_double();
    json["uses_epsilon"] = op->traits().has_epsilon;
    const Tensor degrees = at::linspace(0, 180, n, options);
    json["angle"]["degrees"] = list(degrees);
    for (const double k : p_.radii) {
      json["angle"]["curves"].push_back({{"radius", k}, {"response", list(respond(at::full({n}, k, options), degrees))}});
    }
    const Tensor radius = at::logspace(std::log10(p_.radius_min), std::log10(p_.radius_max), n, 10, options).contiguous();
    json["radius"]["radii"] = list(radius);
    double worst = 0;
    for (const double angle : p_.angles) {
      const double limit = std::pow(p_.norm * std::cos(angle * M_PI / 180), 2);
      const double far = respond(at::full({1}, 1e7, options), at::full({1}, angle, options)).item<double>();
      worst = std::max(worst, std::abs(far - limit));
      json["radius"]["curves"].push_back(
          {{"angle", angle}, {"limit", limit}, {"far", far}, {"response", list(respond(radius, at::full({n}, angle, options)))}});
    }
    // At k = 1e7 the next term, 2 |w|^2 cos^3 theta / k, is 2e-7 of the limit.
    json["radius"]["has_limit"] = worst <= 1e-5 * p_.norm * p_.norm;
    out.metrics["rays/limit_error"] = worst;
    out.metrics["rays/orthogonal"] = respond(at::ones({1}, options), at::full({1}, 90.0, options)).abs().item<double>();
    out.artifacts["ray_response"] = std::move(json);
    return out;
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Study, RayResponse, "ray_response", "response over angle and radius, with its limit");

}  // namespace
}  // namespace yatlab
