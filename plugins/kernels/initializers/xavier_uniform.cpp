#include <ATen/ATen.h>

#include <cmath>

#include "core/model/initializer.h"

namespace yatlab {
namespace {

/// U(-a, a) with a = gain * sqrt(6 / (n + d)) for n units of d inputs (Glorot and Bengio, 2010).
class XavierUniform final : public Initializer {
 public:
  struct Params {
    double gain = 1;
    bool positive = false;
    static void declare(Fields& f, Params& p) {
      f.field("gain", p.gain, "multiplies the bound").positive();
      f.field("positive", p.positive, "take absolute values");
    }
  };
  explicit XavierUniform(const Params& p) : p_(p) {}

  void fill(Tensor& weight, at::Generator generator) const override {
    const double fans = static_cast<double>(weight.size(0) + weight.size(1));
    const double bound = p_.gain * std::sqrt(6 / fans);
    weight.uniform_(-bound, bound, generator);
    if (p_.positive) weight.abs_();
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Initializer, XavierUniform, "xavier_uniform", "uniform, scaled by the numbers of inputs and units (fan-in and fan-out)");

}  // namespace
}  // namespace yatlab
