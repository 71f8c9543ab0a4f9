#include <fmt/format.h>

#include <algorithm>

#include "core/measure/claim.h"
#include "core/ops/search.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// Consequences of the existence of the RKHS for finitely many points: Gram matrices factor, and a function of the span is bounded by its norm at
/// every point.
class RkhsEmbedding final : public Claim {
 public:
  void check(const ClaimContext& context, Evidence& evidence) const override {
    auto g = generator_of(context.seed);
    double margin = std::numeric_limits<double>::infinity(), residual = 0, ratio = 0;
    for (const double epsilon : {1e-3, 0.1, 1.0, 10.0}) {
      const auto op = context.op.with_epsilon(epsilon);
      for (const auto& family : point_families()) {
        for (const std::int64_t n : {std::int64_t{4}, context.scaled(60, 12)}) {
          const Tensor k = gram(*op, points(family, n, 3, 1, g));
          margin = std::min(margin, smallest_share(k).item<double>() + share_rounding(n));
          const auto [values, vectors] = at::linalg_eigh(0.5 * (k + k.t()));
          const Tensor features = vectors * values.clamp_min(0).sqrt();  // row i: phi(x_i)
          const Tensor off = (at::matmul(features, features.t()) - k).abs().max() / k.abs().max().clamp_min(1e-300);
          residual = std::max(residual, off.item<double>());
        }
      }
      ratio = std::max(ratio, reproducing(context, *op, g));
      context.tick(epsilon / (epsilon + 1), fmt::format("eps = {:g}", epsilon));
    }
    evidence.at_least(Role::kCore, "smallest Gram eigenvalue / largest, beyond rounding", margin, 0, 0,
                      "8 kinds of point sets, d = 3, eps = 1e-3..10");
    evidence.at_most(Role::kCore, "k(x_i,x_j) = <phi(x_i), phi(x_j)>: largest difference / largest |k|", residual, 0, share_rounding(60),
                     "phi from the eigenvectors of the Gram matrix");
    evidence.at_most(Role::kCore, "largest |f(x)|^2 / (||f||^2 k(x,x)) found", ratio, 1, 1e-9,
                     "f of 4 kernel sections, d = 2; ascent over centres, coefficients and x");
    const auto op = context.op.with_epsilon(1);
    const Tensor x = normals({50, 2}, g);
    evidence.note("largest |f(0)| / ||f|| of any f: every function of the space vanishes at the origin",
                  op->scores(x, at::zeros({1, 2}, at::kDouble)).abs().max().item<double>());
  }

 private:
  /// Largest f(x)^2 / (a'Ka k(x,x)) over centres, coefficients and x: [R, 5, 3] contains 4 centres with their coefficients, then x.
  static double reproducing(const ClaimContext& context, const Operator& op, const at::Generator& g) {
    const auto bound = [&op](const Tensor& z) {
      const Tensor centres = z.slice(1, 0, 4).slice(2, 0, 2), x = z.slice(1, 4).slice(2, 0, 2);
      const Tensor a = z.slice(1, 0, 4).slice(2, 2);  // [R, 4, 1]
      const Tensor f = at::matmul(op.scores(x, centres), a).flatten();
      const Tensor k = gram(op, centres);
      const Tensor norm = at::matmul(a.transpose(1, 2), at::matmul(k, a)).flatten();
      const Tensor self = op.scores(x, x).flatten();
      // Where the coefficients cancel, only rounding is left of the norm.
      const Tensor gross = at::matmul(a.abs().transpose(1, 2), at::matmul(k.abs(), a.abs())).flatten();
      const Tensor sound = (norm.abs() > 1e-4 * gross).logical_and(self.abs() > 1e-12);
      return at::where(sound, f * f / (norm * self), at::zeros({}, f.options()));
    };
    SearchOptions o;
    o.steps = context.scaled(200, 20);
    o.refinements = context.scaled(200, 20);
    o.seed = context.seed;
    return maximise(bound, normals({context.scaled(100, 16), 5, 3}, g), {}, o).value;
  }
};

YATLAB_REGISTER(Claim, RkhsEmbedding, "thm:rkhs-embedding");

}  // namespace
}  // namespace yatlab
