#include "plugins/kernels/datasets/toy_set.h"

namespace yatlab {
namespace {

/// Four clouds at (+-a, +-a), class 1 where the coordinates differ in sign: exclusive or with noise.
class XorClouds final : public ToySet {
 public:
  struct Params : ToyParams {
    double apart = 1.3;
    Params() { noise = 0.35; }
    static void declare(Fields& f, Params& p) {
      f.field("apart", p.apart, "a: the clouds' centres are (±a, ±a)").positive();
      ToyParams::declare(f, p);
    }
  };
  explicit XorClouds(const Params& p) : ToySet("xor_clouds", p, 2), p_(p) {}

 private:
  Tensor place(const Tensor& labels, const Tensor& u, const Tensor&) const override {
    const Tensor x = at::where(u < 0.5, -at::ones_like(u), at::ones_like(u));
    const Tensor y = x * (1 - 2 * labels.to(at::kDouble));
    return at::stack({x, y}, -1) * p_.apart;
  }

  Params p_;
};

YATLAB_REGISTER(Dataset, XorClouds, "xor_clouds", "exclusive or as four clouds, generated");

}  // namespace
}  // namespace yatlab
