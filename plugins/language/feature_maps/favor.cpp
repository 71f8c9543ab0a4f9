#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

#include "core/ops/feature_map.h"
#include "plugins/language/feature_maps/random_features.h"

namespace yatlab {
namespace {

using at::Tensor;

constexpr double kLowest = -80;  // lowest exponent: its exponential, and so every sum of scores, is above 0 in float

enum class Function { kExp, kRelu };

/// FAVOR+ of the Performer: exp(w.x - |x|^2/2) for random w, whose products have the mean exp(q.k), with x = q / d^(1/4): softmax attention.
/// Alternatively relu(w.x).
class Favor final : public FeatureMap {
 public:
  struct Params {
    std::int64_t features = 64;
    Function function = Function::kExp;
    bool orthogonal = true;
    std::optional<std::int64_t> seed;
    std::optional<double> delta;
    static void declare(Fields& f, Params& p) {
      f.field("features", p.features, "random features per head").positive();
      f.choice("function", p.function, {{"exp", Function::kExp}, {"relu", Function::kRelu}},
               "exp(w.x - |x|^2/2), which estimates softmax attention; or relu(w.x)");
      f.field("orthogonal", p.orthogonal, "random directions are orthogonal, in groups of the head's width");
      f.field("seed", p.seed, "of the random features; null: the job's").unlimited();
      f.field("delta", p.delta, "added to the sum of scores; null: 1e-6 for relu, 1e-30 for exp, whose scores may all be tiny")
          .non_negative();
    }
  };
  explicit Favor(const Params& p) : p_(p) {}

  std::vector<Tensor> draw(std::int64_t heads, std::int64_t width, std::uint64_t seed) const override {
    return {normal_projections(heads, width, p_.features, p_.orthogonal, at::make_generator<at::CPUGeneratorImpl>(seed))};
  }
  Tensor features(const Tensor& rows, const FeaturePlace& place, const std::vector<Tensor>& drawn) const override {
    const Tensor x = rows * std::pow(static_cast<double>(rows.size(-1)), -0.25);
    const Tensor products = at::matmul(x, drawn[0].to(x.scalar_type()));
    if (p_.function == Function::kRelu) return at::relu(products);
    if (!place.keys) return (products - products.detach().amax({-1}, true)).clamp_min(kLowest).exp();
    return (products - x.pow(2).sum(-1, true) / 2).clamp(kLowest, -kLowest).exp();
  }
  bool non_negative() const override { return true; }
  double delta() const override { return p_.delta.value_or(p_.function == Function::kRelu ? 1e-6 : 1e-30); }
  std::optional<std::int64_t> seed() const override { return p_.seed; }

 private:
  Params p_;
};

YATLAB_REGISTER(FeatureMap, Favor, "favor", "FAVOR+: positive random features for softmax attention", {"performer"});

}  // namespace
}  // namespace yatlab
