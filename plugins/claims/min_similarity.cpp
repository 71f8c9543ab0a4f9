#include "core/measure/claim.h"
#include "plugins/claims/simplex.h"

namespace yatlab {
namespace {

using namespace claims;

/// Distributions with disjoint supports, and no others, have similarity 0.
class MinSimilarity final : public Claim {
 public:
  struct Params {
    double value = 0;
    static void declare(Fields& f, Params& p) { f.field("value", p.value, "the minimal similarity, as printed"); }
  };
  explicit MinSimilarity(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    simplex::disjoint_supports(context, evidence);
    const Tensor p = kernels::vector_of({0.3, 0.7, 0, 0}), q = kernels::vector_of({0, 0, 0.5, 0.5});
    evidence.at_least(Role::kCore, "cross-entropy at disjoint supports", simplex::cross_entropy(p, q).item<double>(),
                      std::numeric_limits<double>::infinity(), 0, "p = (0.3, 0.7, 0, 0), q = (0, 0, 0.5, 0.5)");
    const auto op = context.op.make();
    evidence.equals(Role::kCore, "the minimal value E(p,q)", kernels::score(*op, p, q), p_.value, 0, "the same pair");
    const Tensor far = kernels::vector_of({1e-170, 1, 0}), other = kernels::vector_of({1, 0, 0});
    evidence.note("E in double where p.q = 1e-170: it underflows to 0 although the supports meet", kernels::score(*op, far, other));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, MinSimilarity, "thm:min-similarity");

}  // namespace
}  // namespace yatlab
