#include <ATen/ATen.h>

#include <cmath>

#include "core/model/initializer.h"

namespace yatlab {
namespace {

/// N(0, gain^2 * 2 / (n + d)) for n units of d inputs (Glorot and Bengio, 2010).
class XavierNormal final : public Initializer {
 public:
  struct Params {
    double gain = 1;
    bool positive = false;
    static void declare(Fields& f, Params& p) {
      f.field("gain", p.gain, "multiplies the standard deviation").positive();
      f.field("positive", p.positive, "take absolute values");
    }
  };
  explicit XavierNormal(const Params& p) : p_(p) {}

  void fill(Tensor& weight, at::Generator generator) const override {
    const double fans = static_cast<double>(weight.size(0) + weight.size(1));
    weight.normal_(0, p_.gain * std::sqrt(2 / fans), generator);
    if (p_.positive) weight.abs_();
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Initializer, XavierNormal, "xavier_normal", "normal, scaled by the numbers of inputs and units (fan-in and fan-out)");

}  // namespace
}  // namespace yatlab
