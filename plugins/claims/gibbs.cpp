#include <cmath>

#include "core/measure/claim.h"
#include "plugins/claims/divergence_search.h"

namespace yatlab {
namespace {

using namespace claims;

/// Gibbs' inequality, cited by cor:kl-identity.
class Gibbs final : public Claim {
 public:
  struct Params {
    double bound = 0;
    static void declare(Fields& f, Params& p) {
      f.field("bound", p.bound, "lower bound on the KL divergence between different distributions");
    }
  };
  explicit Gibbs(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    auto g = kernels::generator_of(context.seed + 1);
    double smallest = std::numeric_limits<double>::infinity(), self = 0;
    for (const std::int64_t n : {2, 3, 10, 64}) {
      context.tick(static_cast<double>(n) / 200, "descent on KL");
      const auto negative = [](const Tensor& z) {
        const Tensor both = simplex::from_free(z);
        return -simplex::divergence(both.select(1, 0), both.select(1, 1));
      };
      SearchOptions o;
      o.steps = context.scaled(300, 30);
      o.refinements = context.scaled(200, 30);
      o.seed = context.seed;
      smallest = std::min(smallest, -maximise(negative, kernels::normals({context.scaled(100, 10), 2, n}, g), {}, o).value);
      const Tensor p = simplex::random(context.scaled(1000, 50), n, 0.3, g);
      self = std::max(self, simplex::divergence(p, p).abs().max().item<double>());
    }
    evidence.at_least(Role::kCore, "smallest KL(P||Q) found", smallest, p_.bound, 1e-15, "by descent, n = 2..64");
    evidence.equals(Role::kCore, "largest |KL(P||P)|", self, 0, 1e-15);
    evidence.at_most(Role::kCore, "equality only at P = Q: largest (|P - Q|_1^2 / 2) / KL found", simplex::largest_pinsker_ratio(context),
                     1, 1e-9, "|P - Q|_1 >= 1e-5");
    const double outside = simplex::divergence(kernels::vector_of({0.5, 0.5}), kernels::vector_of({1, 0})).item<double>();
    evidence.is_true(Role::kCore, "KL is +infinity where Q misses part of P's support", std::isinf(outside) && outside > 0,
                     "P = (1/2, 1/2), Q = (1, 0)");
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, Gibbs, "thm:gibbs");

}  // namespace
}  // namespace yatlab
