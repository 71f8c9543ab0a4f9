#include <ATen/ATen.h>

#include "core/ops/operator.h"
#include "core/ops/pairwise.h"

namespace yatlab {
namespace {

/// x.w + b: the linear layer, the baseline of every experiment.
class Dot final : public Operator {
 public:
  Tensor scores(const Tensor& x, const Tensor& w, const Tensor& bias) const override {
    check_pairwise(x, w, bias, "dot");
    return add_bias(inner_products(x, w), bias, x.scalar_type());
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
