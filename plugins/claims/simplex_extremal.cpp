#include "core/measure/claim.h"
#include "plugins/claims/simplex.h"

namespace yatlab {
namespace {

using namespace claims;

/// The proposition behind thm:min-similarity, without "distinct".
class SimplexExtremal final : public Claim {
 public:
  void check(const ClaimContext& context, Evidence& evidence) const override {
    simplex::disjoint_supports(context, evidence);
    auto g = kernels::generator_of(context.seed + 1);
    double smallest = std::numeric_limits<double>::infinity();
    for (const double epsilon : {1e-6, 1.0, 10.0}) {
      const auto op = context.op.with_epsilon(epsilon);
      for (const std::int64_t n : {2, 10, 64}) {
        const Tensor p = simplex::random(context.scaled(200, 20), n, 0.3, g);
        const Tensor self = op->scores(p.unsqueeze(1), p.unsqueeze(1)).flatten() * (epsilon * static_cast<double>(n * n));
        smallest = std::min(smallest, self.min().item<double>());
      }
    }
    evidence.at_least(Role::kCore, "smallest E(p,p) n^2 eps: a support always meets itself", smallest, 1, 1e-9,
                      "|p|^2 >= 1/n, so E(p,p) >= 1 / (n^2 eps)");
  }
};

YATLAB_REGISTER(Claim, SimplexExtremal, "prop:simplex-extremal");

}  // namespace
}  // namespace yatlab
