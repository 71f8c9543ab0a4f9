#include "plugins/claims/geometry.h"

namespace yatlab {
namespace {

using namespace claims;

/// sigmoid(a) - sigmoid(b) without cancellation.
Tensor sigmoid_difference(const Tensor& a, const Tensor& b) {
  return -at::exp(-b) * at::expm1(b - a) / ((1 + at::exp(-a)) * (1 + at::exp(-b)));
}

class ActivationTopology final : public Claim {
 public:
  struct Params {
    double rate = 1;
    static void declare(Fields& f, Params& p) {
      f.field("rate", p.rate, "r of |σ(z₁) − σ(z₂)| ≤ e^(−r min(z₁,z₂)) |z₁ − z₂| in the proof, as printed").non_negative();
    }
  };
  explicit ActivationTopology(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    double apart = 0;
    bool distinct = true;
    const std::int64_t trials = c.scaled(400, 40);
    for (std::int64_t trial = 0; trial < trials; ++trial) {
      const std::int64_t d = 1 + trial % 6, m = 1 + (trial / 6) % 9;
      const Tensor W = normal({m, d}, g), first = normal({d}, g);
      const Tensor b = -at::matmul(W, first) - 0.1 - uniform({m}, g);  // W x + b <= -0.1 at the first input
      const Tensor second = first + 0.05 / norms(W).max() * directions(1, d, g)[0];
      apart = std::max(apart, (at::relu(at::matmul(W, first) + b) - at::relu(at::matmul(W, second) + b)).abs().max().item<double>());
      distinct = distinct && (first - second).abs().max().item<double>() > 0;
    }
    e.equals(Role::kCore, "(1) largest difference between the outputs of two clipped inputs, ReLU", apart, 0, 0,
             fmt::format("{} layers", trials));
    e.is_true(Role::kCore, "(1) the inputs were distinct", distinct);
    c.tick(0.3, "saturating");

    // The ratio on one side: both z beyond t, at any distance.
    const std::int64_t n = c.scaled(20000, 500);
    const Tensor far = 30 + 30 * uniform({n}, g), gap = at::pow(10, 4 * uniform({n}, g) - 3);
    const Tensor sigmoid = sigmoid_difference(far + gap, far), tanh = 2 * sigmoid_difference(2 * (far + gap), 2 * far);
    e.at_most(Role::kCore, "(2) largest |phi(z1) - phi(z2)| / |z1 - z2|, both z >= 30: no lower Lipschitz bound",
              (at::maximum(sigmoid, tanh) / gap).max().item<double>(), 0, 1e-12);
    const double across = sigmoid_difference(far, -far).max().item<double>();
    e.at_most(Role::kContext, "(2) largest |sigmoid(z1) - sigmoid(z2)| for |z1|, |z2| >= 30 ('-> 0 regardless of |z1 - z2|')", across, 0,
              1e-6, "z1 = 30, z2 = -30");
    e.at_most(Role::kCorrected, "(2) the same for z1, z2 of one sign", at::maximum(sigmoid, tanh).max().item<double>(), 0, 1e-12);

    const auto ratio = [&](const Tensor& p) {
      const Tensor low = p.select(1, 0), step = p.select(1, 1).abs() + 1e-6;
      return sigmoid_difference(low + step, low) * at::exp(p_.rate * low) / step;
    };
    const auto found = maximise(
        ratio, at::stack({40 * uniform({256}, g) - 5, 3 * uniform({256}, g)}, 1), [](const Tensor& p) { return p.clamp(-20, 60); },
        search_options(c, 150));
    e.at_most(Role::kDetail, "(proof) largest |sigmoid(z1) - sigmoid(z2)| / (e^(-min) |z1 - z2|) found", found.value, 1, 1e-9,
              fmt::format("min = {:.3g}, z1 - z2 = {:.3g}", found.point[0].item<double>(), std::abs(found.point[1].item<double>()) + 1e-6));
    const Tensor z = -20 + 40 * uniform({n}, g);
    e.at_least(Role::kCore, "(3) smallest rise of sigmoid over a step of 1e-3, |z| <= 20, relative to its slope there",
               (sigmoid_difference(z + 1e-3, z) / (1e-3 * at::sigmoid(z) * at::sigmoid(-z))).min().item<double>(), 0.99, 0);
    c.tick(0.9, "saturating");

    const auto op = c.op.with_epsilon(1);
    const Tensor w = normal({8, 4}, g), u = directions(1, 4, g);
    e.note(
        "output distance / input distance of 8 units of the operator between x = 1e3 u and 2e3 u (not bi-Lipschitz "
        "either)",
        (norms(op->scores(1e3 * u, w) - op->scores(2e3 * u, w)) / 1e3).item<double>());
    const double saturated = 30;
    e.set("z", saturated);
    e.set("rest", 2 / (1 + std::exp(saturated)));
    e.set("tanh", 2 * std::tanh(saturated));
    e.set("trials", trials);
    e.set("saturated", n);
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, ActivationTopology, "thm:activation-topology");

}  // namespace
}  // namespace yatlab
