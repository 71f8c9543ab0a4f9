#include "core/measure/claim.h"
#include "plugins/claims/simplex.h"

namespace yatlab {
namespace {

using namespace claims;

/// The proposition behind thm:min-similarity, without "distinct".
class SimplexExtremal final : public Claim {
 public:
  std::string title() const override { return "Extremal similarity on the simplex"; }
  std::string how() const override {
    return "Random pairs with disjoint supports; gradient descent on E over pairs with overlapping ones, p = q among "
           "them; KL with 0 ln 0 = 0.";
  }

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
    evidence.tried("thousands of pairs, n = 2..64, eps = 1e-6..10");
  }
};

YATLAB_REGISTER(Claim, SimplexExtremal, "prop:simplex-extremal",
                "for p, q on the simplex E(p,q) = 0 iff supp p ∩ supp q = ∅, which implies KL(p‖q) = ∞");

}  // namespace
}  // namespace yatlab
