#include <ATen/ATen.h>

#include "core/model/initializer.h"

namespace yatlab {
namespace {

/// N(mean, std^2).
class Normal final : public Initializer {
 public:
  struct Params {
    double mean = 0;
    double std = 0.3;
    bool positive = false;
    static void declare(Fields& f, Params& p) {
      f.field("mean", p.mean, "mean");
      f.field("std", p.std, "standard deviation").non_negative();
      f.field("positive", p.positive, "take absolute values");
    }
  };
  explicit Normal(const Params& p) : p_(p) {}

  void fill(Tensor& weight, at::Generator generator) const override {
    weight.normal_(p_.mean, p_.std, generator);
    if (p_.positive) weight.abs_();
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Initializer, Normal, "normal", "independent normal numbers");

}  // namespace
}  // namespace yatlab
