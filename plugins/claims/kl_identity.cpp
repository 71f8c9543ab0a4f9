#include "core/measure/claim.h"
#include "plugins/claims/divergence_search.h"

namespace yatlab {
namespace {

using namespace claims;

/// KL vanishes only at p = q, where the cross-entropy equals the entropy. The statement does not involve the product.
class KlIdentity final : public Claim {
 public:
  struct Params {
    double divergence = 0;
    static void declare(Fields& f, Params& p) { f.field("divergence", p.divergence, "KL of a distribution from itself, as printed"); }
  };
  explicit KlIdentity(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    auto g = kernels::generator_of(context.seed + 1);
    double self = 0, entropies = 0, chain = 0;
    for (const std::int64_t n : {2, 10, 64}) {
      const Tensor p = simplex::random(context.scaled(1000, 50), n, 0.3, g), q = simplex::random(p.size(0), n, 0, g);
      self = std::max(self, (simplex::divergence(p, p) - p_.divergence).abs().max().item<double>());
      entropies = std::max(entropies, (simplex::cross_entropy(p, p) - simplex::entropy(p)).abs().max().item<double>());
      const Tensor gap = simplex::cross_entropy(p, q) - simplex::entropy(p) - simplex::divergence(p, q);
      chain = std::max(chain, gap.abs().max().item<double>());
    }
    evidence.equals(Role::kCore, "largest |KL(p||p)|", self, 0, 1e-15, "n = 2..64, with empty outcomes");
    evidence.at_most(Role::kCore, "largest (|p - q|_1^2 / 2) / KL(p||q) found", simplex::largest_pinsker_ratio(context), 1, 1e-9,
                     "by ascent, |p - q|_1 >= 1e-5, n = 2..64");
    evidence.equals(Role::kCore, "largest |H(p,p) - H(p)|", entropies, 0, 1e-15);
    evidence.equals(Role::kContext, "largest |H(p,q) - H(p) - KL(p||q)|", chain, 0, 1e-12, "so H(p,q) = H(p) also only if p = q");
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, KlIdentity, "cor:kl-identity");

}  // namespace
}  // namespace yatlab
