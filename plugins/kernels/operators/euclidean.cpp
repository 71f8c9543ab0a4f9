#include <ATen/ATen.h>

#include "core/ops/operator.h"
#include "core/ops/pairwise.h"

namespace yatlab {
namespace {

/// Proximity alone, in one of three forms: -|x-w|^2, -|x-w|, or 1 / (|x-w|^2 + epsilon). The bias
/// is added.
class Euclidean final : public Operator {
 public:
  enum class Form { kSquared, kDistance, kInverse };

  struct Params {
    Form form = Form::kSquared;
    double epsilon = 1e-5;
    static void declare(Fields& f, Params& p) {
      f.choice("form", p.form, {{"squared", Form::kSquared}, {"distance", Form::kDistance}, {"inverse", Form::kInverse}},
               "-d^2, -d, or 1/(d^2 + epsilon)");
      f.field("epsilon", p.epsilon, "added to the squared distance (inverse form only)").positive();
    }
  };
  explicit Euclidean(const Params& p) : p_(p) {}

  Tensor scores(const Tensor& x, const Tensor& w, const Tensor& bias) const override {
    check_pairwise(x, w, bias, "euclidean");
    // Close pairs are recomputed whatever epsilon is: the gradient is a multiple of x - w, so it is only accurate if x - w is.
    return add_bias(form(squared_distances(x, w)), bias, x.scalar_type());
  }

  OperatorTraits traits() const override {
    const bool inverse = p_.form == Form::kInverse;
    OperatorTraits t;
    t.symmetric = t.even = true;
    t.non_negative = t.bounded = t.has_epsilon = inverse;
    return t;
  }

  std::int64_t flops(std::int64_t batch, std::int64_t units, std::int64_t dim) const override {
    return 2 * batch * units * dim + 2 * (batch + units) * dim + 4 * batch * units;
  }

 private:
  Tensor form(const Tensor& squared) const {
    switch (p_.form) {
      case Form::kSquared:
        return -squared;
      case Form::kInverse:
        return (squared + p_.epsilon).reciprocal();
      case Form::kDistance:
        break;
    }
    // The gradient of the root is infinite at 0: evaluate it at 1 there instead, so that the backward pass gives no NaN.
    const Tensor apart = squared > 0;
    const Tensor one = at::ones({}, squared.options()), zero = at::zeros({}, squared.options());
    return -at::where(apart, at::where(apart, squared, one).sqrt(), zero);
  }

  Params p_;
};

YATLAB_REGISTER(Operator, Euclidean, "euclidean", "negative or inverse Euclidean distance");

}  // namespace
}  // namespace yatlab
