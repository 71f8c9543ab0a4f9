#include <ATen/ATen.h>

#include <cmath>

#include "core/ops/feature_map.h"

namespace yatlab {
namespace {

using at::Tensor;

/// relu(q).relu(k) cos(pi/2 (i - j) / length): nearby positions weigh more.
class Cosformer final : public FeatureMap {
 public:
  struct Params {
    double delta = 1e-6;
    static void declare(Fields& f, Params& p) { f.field("delta", p.delta, "added to the sum of scores").non_negative(); }
  };
  explicit Cosformer(const Params& p) : p_(p) {}

  Tensor features(const Tensor& rows, const FeaturePlace& place, const std::vector<Tensor>&) const override {
    const Tensor positions = at::arange(place.first, place.first + rows.size(-2), rows.options());
    const Tensor angles = (positions * (M_PI / 2 / static_cast<double>(place.length))).unsqueeze(-1);
    const Tensor positive = at::relu(rows);
    return at::cat({positive * angles.cos(), positive * angles.sin()}, -1);
  }
  double delta() const override { return p_.delta; }

 private:
  Params p_;
};

YATLAB_REGISTER(FeatureMap, Cosformer, "cosformer", "relu, weighted by the cosine of the distance in positions");

}  // namespace
}  // namespace yatlab
