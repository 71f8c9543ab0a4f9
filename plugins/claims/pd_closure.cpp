#include <fmt/format.h>

#include <algorithm>

#include "core/measure/claim.h"
#include "core/ops/search.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// Sums, multiples, products and mixtures of positive definite kernels.
class PdClosure final : public Claim {
 public:
  struct Params {
    double weight = 1;
    static void declare(Fields& f, Params& p) { f.field("weight", p.weight, "w of items 2 and 4; the statement has w >= 0"); }
  };
  explicit PdClosure(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    matrices(context, evidence);
    context.tick(0.6, "kernels");
    mixtures(context, evidence);
    evidence.at_most(Role::kContext, "the mixture of exp(-s |x-w|^2) with w(s) = 1 exists: integral to 1e6 / to 1e5 at x = w", 1e6 / 1e5, 1,
                     1e-9, "there the integrand is 1; the case eps = 0 of the paper's own mixture");
    // At x = w the integrand is 1.
    evidence.set("shorter", 1e5);
    evidence.set("longer", 1e6);
  }

 private:
  void matrices(const ClaimContext& context, Evidence& evidence) const {
    auto g = generator_of(context.seed);
    double lowest[3];
    std::fill(std::begin(lowest), std::end(lowest), std::numeric_limits<double>::infinity());
    for (const std::int64_t n : {2, 4, 6}) {
      context.tick(0.1 * static_cast<double>(n), "descent over matrices");
      for (const std::int64_t rank : {1, 3}) {
        for (int item = 0; item < 3; ++item) {
          const auto badness = [&](const Tensor& z) {  // [R, 2, n, rank]
            const Tensor a = z.select(1, 0), b = z.select(1, 1);
            const Tensor k1 = at::matmul(a, a.transpose(1, 2)), k2 = at::matmul(b, b.transpose(1, 2));
            return -smallest_share(item == 0 ? k1 + k2 : item == 1 ? p_.weight * k1 : k1 * k2);
          };
          SearchOptions o;
          o.steps = context.scaled(80, 10);
          o.refinements = context.scaled(60, 10);
          o.seed = context.seed;
          const auto found = maximise(badness, normals({context.scaled(32, 6), 2, n, rank}, g), {}, o);
          lowest[item] = std::min(lowest[item], -found.value);
        }
      }
    }
    const double rounding = share_rounding(6, 64);
    evidence.at_least(Role::kCore, "1. smallest eigenvalue / largest of k1 + k2", lowest[0], 0, rounding, "by descent");
    evidence.at_least(Role::kCore, "2. of w k1", lowest[1], 0, rounding, fmt::format("w = {:g}", p_.weight));
    evidence.at_least(Role::kCore, "3. of k1 k2, entrywise (Schur)", lowest[2], 0, rounding, "by descent");
  }

  void mixtures(const ClaimContext& context, Evidence& evidence) const {
    auto g = generator_of(context.seed + 1);
    const auto op = context.op.with_epsilon(1);
    double mixture = std::numeric_limits<double>::infinity(), with_op = mixture;
    for (const auto& family : point_families()) {
      for (const std::int64_t n : {std::int64_t{6}, context.scaled(40, 10)}) {
        const Tensor x = points(family, n, 2, 1, g);
        const Tensor distance = (x.unsqueeze(1) - x.unsqueeze(0)).square().sum(2);
        // Nodes s_i of a composite midpoint rule with weights that jump between 0 and 3: no smoothness is required.
        Tensor sum = at::zeros_like(distance);
        for (int i = 0; i < 60; ++i) {
          const double s = 0.1 * (i + 0.5), w = p_.weight * (i % 7 == 0 ? 3.0 : i % 3 == 0 ? 0.0 : 1.0) * 0.1;
          sum = sum + w * at::matmul(x, x.t()).square() * (-s * distance).exp();
        }
        mixture = std::min(mixture, smallest_share(sum).item<double>() + share_rounding(n, 64));
        const Tensor k = gram(*op, x), gauss = (-distance).exp();
        for (const Tensor& combined : {k + gauss, 3 * k, k * gauss, k * k}) {
          with_op = std::min(with_op, smallest_share(combined).item<double>() + share_rounding(n));
        }
      }
    }
    evidence.at_least(Role::kCore, "4. of mixtures over s, beyond rounding", mixture, 0, 0,
                      "(x.w)^2 exp(-s |x-w|^2), s in [0, 6], weights 0, 1 and 3");
    evidence.at_least(Role::kReading, "the operator as k1: sum and products with itself and a Gaussian", with_op, 0, 0, "eps = 1");
  }

  Params p_;
};

YATLAB_REGISTER(Claim, PdClosure, "thm:pd-closure");

}  // namespace
}  // namespace yatlab
