#include <cmath>

#include "plugins/kernels/datasets/toy_set.h"

namespace yatlab {
namespace {

/// Arms of a spiral that start near the origin, one per class.
class Spirals final : public ToySet {
 public:
  struct Params : ToyParams {
    std::int64_t classes = 2;
    double turns = 1, inner = 0.3, outer = 2.3;
    Params() { noise = 0.08; }
    static void declare(Fields& f, Params& p) {
      f.field("classes", p.classes, "number of arms").min(2);
      f.field("turns", p.turns, "turns of each arm around the origin").positive();
      f.field("inner", p.inner, "radius where the arms begin").non_negative();
      f.field("outer", p.outer, "radius where the arms end").positive();
      ToyParams::declare(f, p);
    }
  };
  explicit Spirals(const Params& p) : ToySet("spirals", p, p.classes), p_(p) {}

 private:
  Tensor place(const Tensor& labels, const Tensor& u, const Tensor&) const override {
    // sqrt: about as many points per length outside as inside.
    const Tensor t = u.sqrt();
    const Tensor start = 2 * M_PI * labels.to(at::kDouble) / static_cast<double>(p_.classes);
    return polar(p_.inner + (p_.outer - p_.inner) * t, start + 2 * M_PI * p_.turns * t);
  }

  Params p_;
};

YATLAB_REGISTER(Dataset, Spirals, "spirals", "arms of a spiral, generated");

}  // namespace
}  // namespace yatlab
