#include <ATen/ATen.h>

#include "core/ops/operator.h"
#include "core/ops/pairwise.h"

namespace yatlab {
namespace {

/// score(x, w) = x.w / (|x|^2 + |w|^2 - x.w + epsilon) + bias: the Tanimoto similarity. It is in [-1/3, 1], and 1 where x = w.
class MyKernel final : public Operator {
 public:
  struct Params {
    double epsilon = 1e-6;
    static void declare(Fields& f, Params& p) {
      f.field("epsilon", p.epsilon, "added to the denominator; keeps zero vectors finite").positive();
    }
  };
  explicit MyKernel(const Params& p) : p_(p) {}

  /// The denominator is at least (|x|^2 + |w|^2) / 2, so the subtraction loses no digits.
  Tensor scores(const Tensor& x, const Tensor& w, const Tensor& bias) const override {
    check_pairwise(x, w, bias, "my_kernel");
    const auto type = accumulation_type(x.scalar_type());
    const Tensor dot = inner_products(x, w).to(type);             // [..., B, n]
    const Tensor xx = x.to(type).square().sum(-1).unsqueeze(-1);  // [..., B, 1]
    const Tensor ww = w.to(type).square().sum(-1).unsqueeze(-2);  // [..., 1, n]
    return add_bias(dot / (xx + ww - dot + p_.epsilon), bias, x.scalar_type());
  }

  OperatorTraits traits() const override {
    OperatorTraits t;
    t.symmetric = true;
    t.bounded = true;
    t.has_epsilon = true;
    t.even = true;
    return t;
  }

  std::int64_t flops(std::int64_t batch, std::int64_t units, std::int64_t dim) const override {
    return 2 * batch * units * dim + 2 * (batch + units) * dim + 4 * batch * units;
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Operator, MyKernel, "my_kernel", "Tanimoto similarity: x.w / (|x|^2 + |w|^2 - x.w)");

}  // namespace
}  // namespace yatlab
