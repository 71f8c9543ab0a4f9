#include <ATen/ATen.h>
#include <fmt/format.h>

#include <mutex>

#include "core/base/error.h"
#include "core/ops/feature_map.h"
#include "core/ops/operator.h"
#include "core/ops/pairwise.h"

namespace yatlab {
namespace {

using at::Tensor;

/// phi(x).phi(w) with the features of any feature map: the kernel that a linear attention approximates, for any model. Rows are split into heads;
/// each head has random features of its own, and scores are summed over heads.
class FeatureKernel final : public Operator {
 public:
  struct Params {
    ComponentRef map = "slay";
    std::int64_t heads = 1, seed = 0;
    static void declare(Fields& f, Params& p) {
      f.component("map", p.map, "feature_map", "features of x and w");
      f.field("heads", p.heads, "parts that rows are split into").positive();
      f.field("seed", p.seed, "of the random features, if the map has none of its own; the same for all of an arm's seeds").unlimited();
    }
  };
  explicit FeatureKernel(const Params& p) : p_(p), map_(Registry<FeatureMap>::create(p.map)) {}

  Tensor scores(const Tensor& x, const Tensor& w, const Tensor& bias) const override {
    check_pairwise(x, w, bias, "feature_kernel");
    return add_bias(inner_products(features(x), features(w)), bias, x.scalar_type());
  }

  OperatorTraits traits() const override {
    OperatorTraits t;
    t.symmetric = true;
    t.non_negative = map_->non_negative();
    return t;
  }

  std::int64_t flops(std::int64_t batch, std::int64_t units, std::int64_t dim) const override {
    at::NoGradGuard no_grad;
    const auto m = features(at::zeros({1, dim})).size(-1);
    return 2 * (batch + units) * dim * m / p_.heads + 2 * batch * units * m;
  }

 private:
  /// [..., n, d] -> [..., n, heads * m]. Both sides are keys: features of queries may be scaled by a factor for each head.
  Tensor features(const Tensor& rows) const {
    const auto width = rows.size(-1) / p_.heads;
    if (width * p_.heads != rows.size(-1)) {
      throw config_error(fmt::format("rows of {} numbers cannot be split into {} heads", rows.size(-1), p_.heads), "operator.heads", {},
                         "use a divisor of the rows' length");
    }
    const auto type = accumulation_type(rows.scalar_type());
    const Tensor heads = rows.to(type).unflatten(-1, at::IntArrayRef{p_.heads, width}).transpose(-3, -2);
    return map_->features(heads, {true, 0, 1}, drawn(width, rows.device())).transpose(-3, -2).flatten(-2);
  }

  std::vector<Tensor> drawn(std::int64_t width, const at::Device& device) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (width != width_ || device_ != device) {
      drawn_ = map_->draw(p_.heads, width, static_cast<std::uint64_t>(map_->seed().value_or(p_.seed)));
      for (auto& t : drawn_) t = t.to(device);
      width_ = width, device_ = device;
    }
    return drawn_;
  }

  Params p_;
  std::shared_ptr<FeatureMap> map_;
  mutable std::mutex mutex_;
  mutable std::int64_t width_ = 0;
  mutable at::Device device_ = at::kCPU;
  mutable std::vector<Tensor> drawn_;
};

YATLAB_REGISTER(Operator, FeatureKernel, "feature_kernel", "products of features: the kernel that a linear attention approximates");

}  // namespace
}  // namespace yatlab
