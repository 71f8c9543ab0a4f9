#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/model/initializer.h"

namespace yatlab {
namespace {

/// U(low, high).
class Uniform final : public Initializer {
 public:
  struct Params {
    double low = 0;
    double high = 0.5;
    bool positive = false;
    static void declare(Fields& f, Params& p) {
      f.field("low", p.low, "lower end");
      f.field("high", p.high, "upper end");
      f.field("positive", p.positive, "take absolute values");
    }
  };
  explicit Uniform(const Params& p) : p_(p) {
    if (p.low <= p.high) return;
    throw config_error("initializer uniform needs low <= high", "init",
                       "low is " + format_double(p.low) + ", high is " + format_double(p.high));
  }

  void fill(Tensor& weight, at::Generator generator) const override {
    weight.uniform_(p_.low, p_.high, generator);
    if (p_.positive) weight.abs_();
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Initializer, Uniform, "uniform", "independent uniform numbers");

}  // namespace
}  // namespace yatlab
