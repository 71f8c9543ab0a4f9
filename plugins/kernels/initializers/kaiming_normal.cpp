#include <ATen/ATen.h>

#include <cmath>

#include "core/model/initializer.h"

namespace yatlab {
namespace {

/// N(0, gain^2 / d) for d inputs; gain sqrt(2) suits ReLU (He et al., 2015).
class KaimingNormal final : public Initializer {
 public:
  struct Params {
    double gain = 1.4142135623730951;
    bool positive = false;
    static void declare(Fields& f, Params& p) {
      f.field("gain", p.gain, "sqrt(2) for ReLU, 1 for linear (LeCun)").positive();
      f.field("positive", p.positive, "take absolute values");
    }
  };
  explicit KaimingNormal(const Params& p) : p_(p) {}

  void fill(Tensor& weight, at::Generator generator) const override {
    const double inputs = static_cast<double>(weight.size(1));
    weight.normal_(0, p_.gain / std::sqrt(inputs), generator);
    if (p_.positive) weight.abs_();
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Initializer, KaimingNormal, "kaiming_normal", "normal, scaled by the number of inputs (fan-in)");

}  // namespace
}  // namespace yatlab
