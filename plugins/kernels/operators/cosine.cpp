#include <ATen/ATen.h>

#include "core/ops/pairwise.h"
#include "core/ops/score_range.h"

namespace yatlab {
namespace {

/// cos(x, w) = x.w / (max(|x|, epsilon) max(|w|, epsilon)). Alignment alone: independent of magnitude and distance.
class Cosine final : public RangedOperator {
 public:
  struct Params {
    double epsilon = 1e-8;
    static void declare(Fields& f, Params& p) {
      f.field("epsilon", p.epsilon, "floor of |x| and |w|; keeps zero vectors finite").positive();
    }
  };
  explicit Cosine(const Params& p) : p_(p) {}

  Tensor scores(const Tensor& x, const Tensor& w, const Tensor& bias) const override {
    check_pairwise(x, w, bias, "cosine");
    return add_bias(inner_products(unit_rows(x, p_.epsilon), unit_rows(w, p_.epsilon)), bias, x.scalar_type());
  }

  OperatorTraits traits() const override {
    OperatorTraits t;
    t.symmetric = t.bounded = t.has_epsilon = t.even = true;
    return t;
  }

  std::optional<ScoreRange> score_range() const override { return ScoreRange{-1, 1}; }

  std::int64_t flops(std::int64_t batch, std::int64_t units, std::int64_t dim) const override {
    return 2 * batch * units * dim + 3 * (batch + units) * dim;
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Operator, Cosine, "cosine", "cosine similarity: alignment without magnitude");

}  // namespace
}  // namespace yatlab
