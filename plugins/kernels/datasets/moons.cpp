#include <cmath>

#include "plugins/kernels/datasets/toy_set.h"

namespace yatlab {
namespace {

/// Two interleaved half circles of radius 1.
class Moons final : public ToySet {
 public:
  struct Params : ToyParams {
    Params() { noise = 0.12; }
    static void declare(Fields& f, Params& p) { ToyParams::declare(f, p); }
  };
  explicit Moons(const Params& p) : ToySet("moons", p, 2) {}

 private:
  Tensor place(const Tensor& labels, const Tensor& u, const Tensor&) const override {
    // The second is the first rotated by 180 degrees about (0.5, 0.25); that point is moved to the origin.
    const Tensor sign = 1 - 2 * labels.to(at::kDouble);
    const Tensor x = (M_PI * u).cos() - 0.5, y = (M_PI * u).sin() - 0.25;
    return at::stack({x, y}, -1) * sign.unsqueeze(-1) * 1.4;
  }
};

YATLAB_REGISTER(Dataset, Moons, "moons", "two interleaved half circles, generated");

}  // namespace
}  // namespace yatlab
