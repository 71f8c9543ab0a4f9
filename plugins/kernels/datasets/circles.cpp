#include <cmath>

#include "plugins/kernels/datasets/toy_set.h"

namespace yatlab {
namespace {

/// Concentric circles, the innermost class first.
class Circles final : public ToySet {
 public:
  struct Params : ToyParams {
    std::int64_t classes = 2;
    double inner = 0.8, outer = 2;
    Params() { noise = 0.15; }
    static void declare(Fields& f, Params& p) {
      f.field("classes", p.classes, "number of circles").min(2);
      f.field("inner", p.inner, "radius of the innermost").positive();
      f.field("outer", p.outer, "radius of the outermost").positive();
      ToyParams::declare(f, p);
    }
  };
  explicit Circles(const Params& p) : ToySet("circles", p, p.classes), p_(p) {}

 private:
  Tensor place(const Tensor& labels, const Tensor& u, const Tensor&) const override {
    const Tensor share = labels.to(at::kDouble) / static_cast<double>(p_.classes - 1);
    return polar(p_.inner + (p_.outer - p_.inner) * share, 2 * M_PI * u);
  }

  Params p_;
};

YATLAB_REGISTER(Dataset, Circles, "circles", "concentric circles, generated");

}  // namespace
}  // namespace yatlab
