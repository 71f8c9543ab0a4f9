#include <ATen/ATen.h>

#include "core/model/initializer.h"

namespace yatlab {
namespace {

/// The same number everywhere.
class Constant final : public Initializer {
 public:
  struct Params {
    double value = 0;
    bool positive = false;
    static void declare(Fields& f, Params& p) {
      f.field("value", p.value, "value of every weight");
      f.field("positive", p.positive, "take absolute values");
    }
  };
  explicit Constant(const Params& p) : p_(p) {}

  void fill(Tensor& weight, at::Generator generator) const override {
    static_cast<void>(generator);
    weight.fill_(p_.value);
    if (p_.positive) weight.abs_();
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Initializer, Constant, "constant", "one number everywhere");

}  // namespace
}  // namespace yatlab
