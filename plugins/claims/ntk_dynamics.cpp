#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

#include "core/verdict/statistics.h"
#include "plugins/claims/ntk.h"

namespace yatlab {
namespace {

using namespace claims::tangent;

/// Full-batch gradient descent on m^(-1/2) sum_i a_i E(w_i, x), squared loss.
struct WideNetwork {
  UnitFunction units;
  Tensor w, a;

  Tensor hidden(const Tensor& x) const { return units(x, w) / std::sqrt(static_cast<double>(a.numel())); }
  Tensor operator()(const Tensor& x) const { return at::mv(hidden(x), a); }
  void train(const Tensor& x, const Tensor& y, double rate, std::int64_t steps) {
    for (std::int64_t t = 0; t < steps; ++t) {
      at::AutoGradMode with_gradients(true);
      w = w.detach().requires_grad_(true);
      a = a.detach().requires_grad_(true);
      const auto g = torch::autograd::grad({0.5 * ((*this)(x)-y).square().sum()}, {w, a});
      at::NoGradGuard no_grad;
      w = w - rate * g[0];
      a = a - rate * g[1];
    }
    w = w.detach();
    a = a.detach();
  }
};

/// Wide networks follow kernel regression, with the kernel of prop:ntk.
class NtkDynamics final : public Claim {
 public:
  void check(const ClaimContext& context, Evidence& evidence) const override {
    const auto units = operator_units(context.op.with_epsilon(1));
    auto g = generator_of(context.seed);
    // Two classes on two arcs, and test points between them.
    const std::vector<double> train_angles = {0.1, 0.4, 0.7, 1.7, 2.0, 2.3}, test_angles = {0.25, 0.55, 1.85, 2.15, 3.0};
    std::vector<std::pair<double, double>> points;
    for (const double t : train_angles) points.emplace_back(1, t);
    for (const double t : test_angles) points.emplace_back(1, t);
    const Tensor all = in_plane(points), x = all.narrow(0, 0, 6);
    const Tensor y = at::tensor(std::vector<double>{1, 1, 1, -1, -1, -1}, at::kDouble);
    const auto limit = expected_ntk(
        units, all,
        [&](std::int64_t n) {
          return normals({n, 3}, g);
        },
        20, context.scaled(20000, 1500));
    const Tensor k = limit.total.mean;
    const Tensor block = k.narrow(0, 0, 6).narrow(1, 0, 6);
    const double rate = 0.5 / at::linalg_eigvalsh(block)[-1].item<double>();
    const std::int64_t steps = context.scaled(120, 60);

    std::vector<double> widths, deviation, turned;
    double signed_turn = 0, printed_rate_change = 0;
    const std::int64_t repeats = 3, widest = context.effort >= 0.5 ? 4096 : 1024;
    for (std::int64_t m = widest / 64; m <= widest; m *= 4) {
      double off = 0, turn = 0, with_sign = 0;
      for (std::int64_t r = 0; r < repeats; ++r) {
        WideNetwork net{units, normals({m, 3}, g), normals({m}, g)};
        const Tensor before = net(all), angle_before = between_classes(net.hidden(x));
        net.train(x, y, rate, steps);
        Tensor f = before.clone();
        for (std::int64_t t = 0; t < steps; ++t) f = f - rate * at::mv(k.narrow(1, 0, 6), f.narrow(0, 0, 6) - y);
        off += (net(all) - f).square().mean().item<double>();
        const double change = (between_classes(net.hidden(x)) - angle_before).item<double>();
        turn += std::abs(change);
        with_sign += change;
      }
      const auto n = static_cast<double>(repeats);
      widths.push_back(static_cast<double>(m));
      deviation.push_back(std::sqrt(off / n));
      turned.push_back(turn / n);
      signed_turn = with_sign / n;
      context.tick(0.9 * std::log2(static_cast<double>(m)) / 12, fmt::format("trained networks of width {}", m));
    }
    // The printed scaling: a_i ~ N(0, 1/m) and no factor. K_m / m is what gradient descent with steps O(1/m) follows.
    const std::int64_t m = 4096;
    const auto unit = unit_gradients(units, all, normals({m, 3}, g));
    const Tensor moving = (unit.gradients * (normals({m}, g).square() / static_cast<double>(m)).view({1, m, 1})).reshape({all.size(0), -1});
    const Tensor printed =
        (at::mm(unit.values, unit.values.t()) + at::mm(moving, unit.gradients.reshape({all.size(0), -1}).t())) / static_cast<double>(m);
    printed_rate_change = ((printed / printed.norm() - k / k.norm()).norm()).item<double>();
    const Tensor features = limit.features.mean;
    const double to_features = ((printed / printed.norm() - features / features.norm()).norm()).item<double>();

    const auto range = fmt::format("m = {} .. {}, {} networks each, {} steps, d = 3, eps = 1", widest / 64, widest, repeats, steps);
    evidence.part("kernel regression");
    evidence.at_most(Role::kCore, "power of m with which the distance between network and kernel regression falls",
                     fit_power_law(widths, deviation).slope, -0.5, 0.25, range);
    evidence.at_most(Role::kCore, "that distance at the largest width, root mean square (targets +-1)", deviation.back(), 0,
                     widest >= 4096 ? 0.05 : 0.12, range);
    evidence.part("orthogonal representations");
    evidence.at_most(Role::kCore,
                     "change of the mean cosine between hidden features of different classes by training, largest width (\"encourages "
                     "orthogonal representations\": below -0.01)",
                     signed_turn, -0.01, 0, range);
    evidence.at_most(Role::kCorrected, "power of m with which the absolute change of that cosine falls: in the limit features do not move",
                     fit_power_law(widths, turned).slope, -0.5, 0.3, range);
    evidence.at_most(Role::kReading, "with the printed scaling, K_m / m at m = 4096 against K^NTK, both of norm 1: distance",
                     printed_rate_change, 0, 0.1, "d = 3, eps = 1");
    evidence.at_most(Role::kCorrected, "the same against the first term alone", to_features, 0, 0.1, "d = 3, eps = 1");
    evidence.set("where", range);
    evidence.set("width", widest);
    evidence.set("turn", signed_turn);
    evidence.set("distance", printed_rate_change);
  }

 private:
  /// Mean cosine between the features [6, m] of the first three points and those of the others.
  static Tensor between_classes(const Tensor& h) {
    const Tensor u = h / h.norm(2, {1}, true).clamp_min(1e-300);
    return at::mm(u.narrow(0, 0, 3), u.narrow(0, 3, 3).t()).mean().detach();
  }
};

YATLAB_REGISTER(Claim, NtkDynamics, "rem:ntk-dynamics");

}  // namespace
}  // namespace yatlab
