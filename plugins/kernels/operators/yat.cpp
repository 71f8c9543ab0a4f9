#include "core/ops/yat.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/ops/pairwise.h"
#include "core/ops/stacked_operator.h"

namespace yatlab {
namespace {

/// The yat product (x.w + b)^2 / (|x - w|^2 + epsilon): alignment weighed by proximity
/// (paper, eq. "yat-product"). Computed by the fused `yat()` of core/ops.
class Yat final : public Operator, public StackedOperator {
 public:
  struct Params {
    double epsilon = 1e-5;
    bool learn_epsilon = false;
    BiasPlace bias_place = BiasPlace::kInside;
    bool spherical = false;
    static void declare(Fields& f, Params& p) {
      f.field("epsilon", p.epsilon, "added to the squared distance: bounds the response at x = w (its initial value, if learned)")
          .positive();
      f.field("learn_epsilon", p.learn_epsilon, "learn epsilon with the network, as softplus of a free parameter");
      f.choice("bias_place", p.bias_place, {{"inside", BiasPlace::kInside}, {"after", BiasPlace::kAfter}},
               "(x.w + b)^2 / D as in the paper, or (x.w)^2 / D + b");
      f.field("spherical", p.spherical, "project x and w onto the unit sphere first");
    }
  };

  explicit Yat(const Params& p) : p_(p) {
    if (!p.learn_epsilon) return;
    // softplus(free) = epsilon. For small epsilon, ln(e^epsilon - 1) is ln(epsilon) to rounding.
    free_ = at::scalar_tensor(std::log(std::expm1(p.epsilon)), at::kFloat);
    if (p.epsilon > 30) free_.fill_(p.epsilon);  // where e^epsilon leaves 1 behind
    free_.set_requires_grad(true);
  }

  Tensor scores(const Tensor& x, const Tensor& w, const Tensor& bias) const override { return scaled_scores(x, w, bias, {}); }

  Tensor scaled_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const override {
    YatOptions o;
    o.bias = bias;
    o.bias_place = p_.bias_place;
    o.epsilon = p_.epsilon;
    o.scale = scale;
    if (free_.defined()) o.learned_epsilon = at::softplus(free_);
    return scores_with(x, w, o);
  }

  std::vector<std::string> stacked_parameters() const override { return {"epsilon"}; }
  void set_stacked(const std::string&, const Tensor& values) override { epsilons_ = values; }
  /// One product of each batch with the units of all that see it.
  Tensor stacked_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const override {
    const auto groups = x.size(0), members = w.size(0), units = w.size(1);
    const bool one = groups == 1;
    std::vector<std::int64_t> of_units = {members / groups * units};
    if (!one) of_units = {groups, 1, members / groups * units};
    const auto for_units = [&](const Tensor& t) {  // [S] -> every unit's
      return t.defined() && t.numel() > 1 ? t.unsqueeze(1).expand({members, units}).reshape(of_units) : t;
    };
    YatOptions o;
    if (bias.defined()) o.bias = bias.reshape(of_units);
    o.bias_place = p_.bias_place;
    o.epsilon = p_.epsilon;
    if (free_.defined()) {
      o.learned_epsilon = for_units(at::softplus(free_));
    } else if (epsilons_.defined()) {
      o.learned_epsilon = for_units(epsilons_.to(w.options().dtype(accumulation_type(w.scalar_type()))));
    }
    o.scale = for_units(scale);
    const Tensor units_of_batch = one ? w.flatten(0, 1) : w.reshape({groups, -1, w.size(2)});
    return scores_of_members(scores_with(one ? x.select(0, 0) : x, units_of_batch, o), members);
  }

  OperatorTraits traits() const override {
    OperatorTraits t;
    t.symmetric = t.bounded = t.has_epsilon = t.even = true;
    t.non_negative = p_.bias_place == BiasPlace::kInside;
    return t;
  }

  std::int64_t flops(std::int64_t batch, std::int64_t units, std::int64_t dim) const override {
    return 2 * batch * units * dim + 2 * (batch + units) * dim + 8 * batch * units;
  }

  std::vector<std::pair<std::string, Tensor>> parameters() const override {
    if (!free_.defined()) return {};
    return {{"free_epsilon", free_}};
  }

  std::vector<std::pair<std::string, double>> observables() const override {
    if (!free_.defined()) return {};
    return {{"epsilon", at::softplus(free_.detach()).item<double>()}};
  }

 private:
  Tensor scores_with(const Tensor& x, const Tensor& w, const YatOptions& o) const {
    return p_.spherical ? yat(on_sphere(x), on_sphere(w), o) : yat(x, w, o);
  }
  static Tensor on_sphere(const Tensor& rows) { return unit_rows(rows, 1e-8).to(rows.scalar_type()); }

  Params p_;
  Tensor free_;      // one element ([S] in a stack); undefined when epsilon is fixed
  Tensor epsilons_;  // [S]: fixed ones of a stack's members
};

YATLAB_REGISTER(Operator, Yat, "yat", "squared alignment over squared distance", {"ⵟ"});

}  // namespace
}  // namespace yatlab
