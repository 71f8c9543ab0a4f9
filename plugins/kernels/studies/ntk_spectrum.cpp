#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/measure/study.h"
#include "core/model/ntk.h"

namespace yatlab {
namespace {

/// The eigenvalues of the arm's tangent kernel before training, in double, on quasi-random points, divided by their sum, and their power-law decay in
/// the rank. The architecture's width is the arm's setting.
class NtkSpectrumStudy final : public Study {
 public:
  struct Params {
    std::int64_t dim = 3;
    std::int64_t points = 512;
    Domain domain = Domain::kSphere;
    std::int64_t first = 8, last = 100;
    double floor = 1e-12;
    static void declare(Fields& f, Params& p) {
      f.field("dim", p.dim, "d, dimension of the inputs").min(1);
      f.field("points", p.points, "number of inputs, and so of eigenvalues").min(16);
      f.choice("domain", p.domain, {{"sphere", Domain::kSphere}, {"ball", Domain::kBall}, {"cube", Domain::kCube}},
               "where the inputs lie: the unit sphere, the unit ball or [-1, 1]^d");
      f.field("first", p.first, "first rank of the fitted power law").min(1);
      f.field("last", p.last, "last rank of the fitted power law").min(3);
      f.field("floor", p.floor, "eigenvalues below this share of the largest are rounding errors: neither fitted nor drawn").positive();
    }
  };
  explicit NtkSpectrumStudy(const Params& p) : p_(p) {}

  FindingNames names(const ArmParts&) const override {
    return {
        with_prefix("ntk/", {MetricDoc("decay_exponent").called("exponent of the eigenvalues' decay").neither().shown(),
                             MetricDoc("decay_low").called("decay exponent, lower end of its interval").neither(),
                             MetricDoc("decay_high").called("decay exponent, upper end of its interval").neither(),
                             MetricDoc("decay_r2").called("R² of the power law").neither(), MetricDoc("trace").neither(),
                             MetricDoc("effective_rank").neither().shown(), MetricDoc("parameters").neither().as(NumberFormat::kInteger)}),
        {"ntk_spectrum"}};
  }
  void check(const ArmParts& arm) const override { arm.require_model("study 'ntk_spectrum'"); }

  Findings run(const StudyContext& context) const override {
    const auto model = context.model({p_.dim}, 1, context.seed);
    model->to(at::kDouble);
    std::int64_t parameters = 0;
    for (const auto& tensor : model->parameters()) parameters += tensor.requires_grad() ? tensor.numel() : 0;
    const Tensor x = domain_points(p_.domain, p_.points, p_.dim);
    context.progress(0.1, "tangent kernel");
    const Tensor kernel = empirical_ntk(*model, x);
    context.progress(0.7, "eigenvalues");
    auto spectrum = kernel_spectrum(kernel);
    double trace = 0, squares = 0;
    for (const double v : spectrum) trace += v;
    for (double& v : spectrum) {
      v /= trace;
      squares += v * v;
    }
    const auto fit = fit_decay(spectrum, p_.first, p_.last, p_.floor);

    Findings out;
    out.metrics["ntk/decay_exponent"] = fit.exponent;
    out.metrics["ntk/decay_low"] = fit.low;
    out.metrics["ntk/decay_high"] = fit.high;
    out.metrics["ntk/decay_r2"] = fit.r2;
    out.metrics["ntk/trace"] = trace;
    out.metrics["ntk/effective_rank"] = 1 / squares;
    out.metrics["ntk/parameters"] = static_cast<double>(parameters);
    const char* const domains[] = {"sphere", "ball", "cube"};
    out.artifacts["ntk_spectrum"] = {{"dim", p_.dim},
                                     {"points", p_.points},
                                     {"domain", domains[static_cast<int>(p_.domain)]},
                                     {"parameters", parameters},
                                     {"floor", p_.floor},
                                     {"eigenvalues", spectrum},
                                     {"fit",
                                      {{"exponent", fit.exponent},
                                       {"scale", fit.scale},
                                       {"low", fit.low},
                                       {"high", fit.high},
                                       {"first", fit.first},
                                       {"last", fit.last}}}};
    return out;
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Study, NtkSpectrumStudy, "ntk_spectrum", "eigenvalues of the arm's neural tangent kernel, and how fast they fall");

}  // namespace
}  // namespace yatlab
