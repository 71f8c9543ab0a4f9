#include <ATen/ATen.h>

#include "core/ops/feature_map.h"

namespace yatlab {
namespace {

using at::Tensor;

/// elu(x) + 1: linear attention that approximates no exact kernel.
class Elu final : public FeatureMap {
 public:
  struct Params {
    double delta = 1e-6;
    static void declare(Fields& f, Params& p) { f.field("delta", p.delta, "added to the sum of scores").non_negative(); }
  };
  explicit Elu(const Params& p) : p_(p) {}
  Tensor features(const Tensor& rows, const FeaturePlace&, const std::vector<Tensor>&) const override { return at::elu(rows) + 1; }
  bool non_negative() const override { return true; }
  double delta() const override { return p_.delta; }

 private:
  Params p_;
};

YATLAB_REGISTER(FeatureMap, Elu, "elu", "elu + 1: linear attention");

}  // namespace
}  // namespace yatlab
