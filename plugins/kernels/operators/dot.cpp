#include <ATen/ATen.h>

#include "core/ops/pairwise.h"
#include "core/ops/stacked_operator.h"

namespace yatlab {
namespace {

/// x.w + b: the linear layer, the baseline of every experiment.
class Dot final : public Operator, public StackedOperator {
 public:
  Tensor scores(const Tensor& x, const Tensor& w, const Tensor& bias) const override {
    check_pairwise(x, w, bias, "dot");
    return add_bias(inner_products(x, w), bias, x.scalar_type());
  }

  /// One product of each batch with the units of all that see it.
  Tensor stacked_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const override {
    if (x.size(0) == 1) return stacked_through_scores(*this, x, w, bias, scale);
    Tensor y = scores_of_members(inner_products(x, w.reshape({x.size(0), -1, w.size(2)})), w.size(0));
    if (bias.defined()) y = y + bias.unsqueeze(1).to(y.scalar_type());
    if (scale.defined()) y = y * (scale.numel() == 1 ? scale : scale.view({-1, 1, 1})).to(y.scalar_type());
    return y.to(x.scalar_type());
  }

  OperatorTraits traits() const override {
    OperatorTraits t;
    t.symmetric = t.even = t.inner_product = true;
    return t;
  }

  std::int64_t flops(std::int64_t batch, std::int64_t units, std::int64_t dim) const override { return 2 * batch * units * dim; }
};

YATLAB_REGISTER(Operator, Dot, "dot", "inner product x.w: the linear layer");

}  // namespace
}  // namespace yatlab
