#include <ATen/ATen.h>

#include "core/ops/operator.h"
#include "core/ops/pairwise.h"
#include "core/registry/plugin_api.h"

namespace {
using namespace yatlab;

/// score(x, w) = 1 / (1 + |x - w|^2 / s^2): the rational quadratic kernel.
class Rational final : public Operator {
 public:
  struct Params {
    double scale = 1.0;
    static void declare(Fields& f, Params& p) { f.field("scale", p.scale, "distance at which the score has halved").positive(); }
  };
  explicit Rational(const Params& p) : p_(p) {}

  Tensor scores(const Tensor& x, const Tensor& w, const Tensor& bias) const override {
    const Tensor d2 = squared_distances(x, w) / (p_.scale * p_.scale);
    return add_bias((1 + d2).reciprocal(), bias, x.scalar_type());
  }
  OperatorTraits traits() const override {
    OperatorTraits t;
    t.symmetric = t.non_negative = t.bounded = true;
    return t;
  }
  std::int64_t flops(std::int64_t b, std::int64_t n, std::int64_t d) const override { return 2 * b * n * d + 2 * (b + n) * d + 5 * b * n; }

 private:
  Params p_;
};

YATLAB_REGISTER(Operator, Rational, "rational", "1 / (1 + |x - w|^2 / s^2)");
}  // namespace
YATLAB_PLUGIN("rational_kernel", "1.0");
