#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "core/ops/search.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// "The self-regulation property already provides bounded outputs independent of input scale."
class ScaleIndependence final : public Claim {
 public:
  struct Params {
    double factor = 10;
    static void declare(Fields& f, Params& p) {
      f.field("factor", p.factor, "factor by which inputs are scaled up and down; the statement names no limit").min(1);
    }
  };
  explicit ScaleIndependence(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    double worst = 0;
    std::string where;
    auto g = generator_of(context.seed);
    for (const double epsilon : {0.01, 1.0}) {
      const auto op = context.op.with_epsilon(epsilon);
      for (const std::int64_t d : {1, 4, 32}) {
        context.tick(0.1, fmt::format("largest response, d = {}", d));
        const Tensor w = normals({1, d}, g) / std::sqrt(static_cast<double>(d));
        const double length = w.square().sum().item<double>(), bound = length * length / epsilon + length;
        // Points c u with log c as a free variable: sizes from 1e-6 to 1e9 are a few steps apart.
        const auto response = [&](const Tensor& p) {  // [R, d + 1]
          const Tensor u = p.slice(1, 0, d), size = (2 * p.slice(1, d, d + 1)).clamp(-14, 20).exp();
          return op->scores(size * u / u.norm(2, 1, true).clamp_min(1e-12), w).squeeze(1).abs();
        };
        SearchOptions o;
        o.seed = context.seed;
        Tensor starts = normals({context.scaled(96, 24), d + 1}, g);
        starts.select(1, d).mul_(4);
        starts[0].slice(0, 0, d).copy_(w[0]);
        starts[0][d] = 0.5 * std::log(std::sqrt(length) * (1 + epsilon / length));
        const double found = maximise(response, starts, {}, o).value / bound;
        if (found > worst) worst = found, where = fmt::format("d = {}, eps = {:g}, |x| = 1e-6..5e8", d, epsilon);
      }
    }
    evidence.at_most(Role::kCore, "largest response over inputs of all sizes / (|w|^4/eps + |w|^2): a bound without |x|", worst, 1, 1e-9,
                     where);
    change(context, evidence);
    const auto unit_op = context.op.with_epsilon(1);
    const Tensor along = vector_of({1, 0});
    for (const auto& [name, c] : {std::make_pair("tenth", 0.1), {"one", 1.0}, {"two", 2.0}, {"ten", 10.0}, {"thousand", 1000.0}}) {
      evidence.set(name, score(*unit_op, c * along, along));
    }
  }

 private:
  void change(const ClaimContext& context, Evidence& evidence) const {
    auto g = generator_of(context.seed + 1);
    const auto op = context.op.with_epsilon(0.01);
    const std::int64_t d = 64, n = context.scaled(500, 60);
    const Tensor x = normals({n, d}, g), w = normals({n, d}, g);
    const auto mean_of = [&](double c) { return op->scores(c * x, w).mean().item<double>(); };
    const double small = mean_of(1 / p_.factor), one = mean_of(1), large = mean_of(p_.factor);
    const std::string where = fmt::format("{} unit Gaussian x and w, d = {}", n, d);
    const auto ratio = [](double a, double b) { return std::max(a, b) / std::min(a, b); };
    evidence.at_most(Role::kReading, fmt::format("mean output for inputs {} times smaller: changes by a factor of", p_.factor),
                     ratio(one, small), 2, 0, where);
    evidence.note(fmt::format("mean output for inputs {} times larger: changes by a factor of", p_.factor), ratio(large, one), where);
    evidence.note("mean output for inputs 1e6 times larger", mean_of(1e6));
    const auto normed = [](const Tensor& t) { return at::layer_norm(t, {t.size(1)}, {}, {}, 1e-12); };
    evidence.at_most(Role::kContext, "the same after LayerNorm: largest relative difference",
                     ((normed(p_.factor * x) - normed(x)).abs().max() / normed(x).abs().max()).item<double>(), 0, 1e-6, where);
    double gap = 0;
    for (const double k : {0.1, 3.0, 100.0}) {
      const Tensor left = op->scores(k * x, k * w), right = k * k * context.op.with_epsilon(0.01 / (k * k))->scores(x, w);
      gap = std::max(gap, ((left - right).abs().max() / right.abs().max()).item<double>());
    }
    evidence.at_most(Role::kCorrected, "E_eps(kw, kx) against k^2 E_(eps/k^2)(w, x): largest relative difference", gap, 0, 1e-9, where);
  }

  Params p_;
};

YATLAB_REGISTER(Claim, ScaleIndependence, "claim:scale-independence");

}  // namespace
}  // namespace yatlab
