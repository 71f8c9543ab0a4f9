#include <cmath>

#include "plugins/kernels/datasets/toy_set.h"

namespace yatlab {
namespace {

/// Gaussian clouds around the origin, alternately nearer and farther, so that the direction alone does not determine the nearest prototype.
class Blobs final : public ToySet {
 public:
  struct Params : ToyParams {
    std::int64_t classes = 4;
    double radius = 1.7, uneven = 0.3;
    Params() { noise = 0.3; }
    static void declare(Fields& f, Params& p) {
      f.field("classes", p.classes, "number of clouds").min(2);
      f.field("radius", p.radius, "mean distance of the clouds from the origin").positive();
      f.field("uneven", p.uneven, "alternate clouds are this share nearer to the origin or farther from it").range(0, 0.9);
      ToyParams::declare(f, p);
    }
  };
  explicit Blobs(const Params& p) : ToySet("blobs", p, p.classes), p_(p) {}

 private:
  Tensor place(const Tensor& labels, const Tensor&, const Tensor&) const override {
    const Tensor c = labels.to(at::kDouble);
    const Tensor sign = 1 - 2 * c.remainder(2);
    return polar(p_.radius * (1 + p_.uneven * sign), 0.35 + 2 * M_PI * c / static_cast<double>(p_.classes));
  }

  Params p_;
};

YATLAB_REGISTER(Dataset, Blobs, "blobs", "Gaussian clouds in the plane, generated");

}  // namespace
}  // namespace yatlab
