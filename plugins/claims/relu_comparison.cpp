#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/measure/claim.h"
#include "core/verdict/statistics.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// The comparison with the arc-cosine kernel has its inequality reversed: the product is analytic, so its space is the smaller one. On the unit
/// circle both kernels are diagonal in the Fourier basis.
class ReluComparison final : public Claim {
 public:
  struct Params {
    double growth = 0;
    static void declare(Fields& f, Params& p) {
      f.field("growth", p.growth, "growth of ln(|f|_E^2 / |f|_ReLU^2) with the frequency of f that a constant C allows");
    }
  };
  explicit ReluComparison(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    circle(context, evidence);
    ball(context, evidence);
    context.tick(0.5, "growing point sets");
    point_sets(context, evidence);
    const auto op = context.op.with_epsilon(1);
    auto g = generator_of(context.seed);
    const Tensor at_origin = op->scores(at::zeros({1, 2}, at::kDouble), normals({100, 2}, g));
    evidence.is_true(Role::kDetail, "the proof's \"universal\": some f of the space does not vanish at the origin",
                     at_origin.abs().max().item<double>() > 0, "k(0,w) = 0 for every w: on a compact set with 0 it is not universal");
  }

 private:
  /// Coefficients of exp(i m t) in the operator's k(cos t, sin t; 1, 0), m = 0..count-1.
  static std::vector<double> coefficients(const Operator& op, std::int64_t count) {
    const std::int64_t n = 512;
    const Tensor t = at::arange(n, at::kDouble) * (2 * M_PI / static_cast<double>(n));
    const Tensor circle = at::stack({t.cos(), t.sin()}, 1);
    const Tensor k = op.scores(circle, vector_of({1, 0})).flatten();
    std::vector<double> out;
    for (std::int64_t m = 0; m < count; ++m) out.push_back((k * (static_cast<double>(m) * t).cos()).mean().item<double>());
    return out;
  }

  /// The same for (sin t + (pi - t) cos t) / pi on [0, pi], the arc-cosine kernel of order 1 scaled to k(x,x) = 1:
  /// 4 / (pi^2 (m^2 - 1)^2) for even m, 1/4 for m = 1, 0 for the other odd m.
  static double relu_coefficient(std::int64_t m) {
    if (m == 1) return 0.25;
    if (m % 2 == 1) return 0;
    const double q = static_cast<double>(m * m - 1);
    return 4 / (M_PI * M_PI * q * q);
  }

  void circle(const ClaimContext& context, Evidence& evidence) const {
    double rate = -std::numeric_limits<double>::infinity(), left = 0;
    bool peaked = false;
    std::string where = "no frequency above 1 is in both spaces";
    double ratio = 0, ratio_epsilon = 0, ratio_growth = 0;
    std::int64_t ratio_frequency = 0;
    for (const double epsilon : {0.1, 1.0, 10.0}) {
      const auto op = context.op.with_epsilon(epsilon);
      const auto ours = coefficients(*op, 130);
      const double floor = 1e4 * kEps * *std::max_element(ours.begin(), ours.end());
      std::vector<double> frequencies, logs;
      double largest = 0, last = 0;
      for (std::int64_t m = 0; m < 130; ++m) {
        const double e = ours[static_cast<std::size_t>(m)], r = relu_coefficient(m);
        if (!(e > floor) || r == 0) continue;
        last = e / r;
        largest = std::max(largest, last);
        if (m < 2) continue;
        frequencies.push_back(static_cast<double>(m));
        logs.push_back(std::log(r / e));
      }
      if (frequencies.size() < 3) continue;
      peaked = true;
      left = std::max(left, last / largest);
      // The last half, where only the decay of the coefficients matters.
      const auto half = static_cast<std::ptrdiff_t>(frequencies.size() / 2);
      const double slope = frequencies.size() < 6
                               ? fit_line(frequencies, logs).slope
                               : fit_line({frequencies.begin() + half, frequencies.end()}, {logs.begin() + half, logs.end()}).slope;
      if (std::exp(logs.back()) > ratio) {
        ratio = std::exp(logs.back());
        ratio_epsilon = epsilon;
        ratio_growth = slope;
        ratio_frequency = static_cast<std::int64_t>(frequencies.back());
      }
      if (slope > rate) {
        rate = slope;
        where = fmt::format("unit circle, f = cos(m t), even m up to {:g}, eps = {:g}: |f|_E^2 / |f|_ReLU^2 = {:.3g} at the last",
                            frequencies.back(), epsilon, std::exp(logs.back()));
      }
    }
    evidence.set("ratio", ratio);
    evidence.set("epsilon", ratio_epsilon);
    evidence.set("growth", ratio_growth);
    evidence.set("frequency", ratio_frequency);
    evidence.counterexample_stands(ratio > 1);
    if (std::isfinite(rate)) {
      evidence.note("largest |f|_E^2 / |f|_ReLU^2 among the f = cos(m t)", ratio,
                    fmt::format("unit circle, m = {}, eps = {:g}", ratio_frequency, ratio_epsilon));
      evidence.at_most(Role::kCore, "growth of ln(|f|_E^2 / |f|_ReLU^2) with the frequency of f", rate, p_.growth, 0.02, where);
      // The coefficients of E decay like rho^m with rho + 1/rho = 2 + eps.
      const double a = 1.5, root = std::sqrt(a * a - 1), rho = a - root;
      const auto ours = coefficients(*context.op.with_epsilon(1), 13);
      evidence.equals(Role::kCorrected, "Fourier coefficient of E / its closed form, m = 12, eps = 1",
                      ours[12] / (a * a * std::pow(rho, 12) / (2 * root)), 1, 1e-6, "a^2 rho^m / (2 sqrt(a^2 - 1)), a = 1 + eps/2");
    }
    if (peaked) {
      evidence.at_most(Role::kCorrected, "the other way round: |f|_ReLU^2 / |f|_E^2 at the last frequency / at its peak", left, 0.01, 0,
                       "falls like m^4 rho^m: bounded, eps = 0.1, 1, 10");
    }
  }

  /// A function that is in the arc-cosine space but not in the product's, to which the statement does not apply.
  static void ball(const ClaimContext& context, Evidence& evidence) {
    const auto op = context.op.with_epsilon(1);
    const auto bound = [&](double t) {
      const Tensor x = vector_of({t, 0});
      return t * t / score(*op, x, x);
    };
    evidence.note("f(x) = x_1 on the ball: growth of f(x)^2 / k(x,x), which bounds |f|_E^2 below, from |x| = 0.1 to 0.01",
                  bound(0.01) / bound(0.1), fmt::format("eps = 1: {:.4g} and {:.4g}", bound(0.1), bound(0.01)));
  }

  static void point_sets(const ClaimContext& context, Evidence& evidence) {
    // The largest C^2 for which v' G_E^(-1) v <= C^2 v' G_ReLU^(-1) v fails: the largest eigenvalue of G_ReLU relative to G_E.
    const auto op = context.op.with_epsilon(1);
    for (const std::int64_t n : {8, 12, 16, 20, 24}) {
      const Tensor t = at::arange(n, at::kDouble) * (M_PI / static_cast<double>(n));  // half a circle: x and -x give the same scores
      const Tensor x = at::stack({t.cos(), t.sin()}, 1);
      const Tensor ours = gram(*op, x);
      const Tensor angle = at::matmul(x, x.t()).clamp(-1, 1).acos();
      const Tensor relu = (angle.sin() + (M_PI - angle) * angle.cos()) / M_PI;
      const auto [values, vectors] = at::linalg_eigh(0.5 * (ours + ours.t()));
      if (values[0].item<double>() <= 1e-12 * values[-1].item<double>()) continue;  // beyond double precision
      const Tensor white = vectors / values.sqrt();
      const Tensor seen = at::matmul(white.t(), at::matmul(relu, white));
      evidence.note(fmt::format("largest eigenvalue of G_ReLU against G_E, {} points of half a circle", n),
                    eigenvalues(seen)[-1].item<double>(), "C^2 is at least this on interpolants");
    }
  }

  Params p_;
};

YATLAB_REGISTER(Claim, ReluComparison, "cor:relu-comparison");

}  // namespace
}  // namespace yatlab
