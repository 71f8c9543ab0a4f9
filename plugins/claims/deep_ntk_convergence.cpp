#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>

#include "core/verdict/statistics.h"
#include "plugins/claims/ntk.h"

namespace yatlab {
namespace {

using namespace claims::tangent;

using Loss = std::function<Tensor(const Tensor&)>;  // [n, 2] -> []

Tensor slope(const Loss& loss, const Tensor& e) {
  at::AutoGradMode with_gradients(true);
  const Tensor z = e.detach().clone().requires_grad_(true);
  return torch::autograd::grad({loss(z)}, {z})[0];
}

/// Classical Runge-Kutta on E' = -theta grad L, with a step size proportional to |E| / |E'|.
struct Flow {
  Loss loss;
  Tensor theta, e;  ///< [n, n], [n, 2]
  double time = 0, largest_rise = -1e300, value = 0;

  Tensor velocity(const Tensor& at_point) const { return -at::mm(theta, slope(loss, at_point)); }
  void run(std::int64_t steps, double share, double longest) {
    value = loss(e).item<double>();
    const double start = std::max(1e-300, value);
    for (std::int64_t t = 0; t < steps; ++t) {
      const Tensor k1 = velocity(e);
      const double speed = k1.norm().item<double>();
      if (speed < 1e-13) return;
      const double h = std::min(longest, share * e.norm().item<double>() / speed);
      const Tensor k2 = velocity(e + 0.5 * h * k1), k3 = velocity(e + 0.5 * h * k2), k4 = velocity(e + h * k3);
      e = e + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      time += h;
      const double next = loss(e).item<double>();
      largest_rise = std::max(largest_rise, (next - value) / start);
      value = next;
    }
  }
};

/// The flow E' = -Theta grad L of embeddings under a fixed positive definite kernel.
class DeepNtkConvergence final : public Claim {
 public:
  void check(const ClaimContext& context, Evidence& evidence) const override {
    const auto op = context.op.with_epsilon(1);
    const Tensor targets = at::tensor(std::vector<double>{1, 1, 0, 1, 1, 0, 0, 0, 1}, at::kDouble).view({3, 3});
    const Loss squared = [&](const Tensor& e) { return (op->scores(e, e) - targets).square().sum(); };
    const Loss pull = [&](const Tensor& e) { return at::softplus(-op->scores(e.narrow(0, 0, 1), e.narrow(0, 1, 1))).sum(); };
    auto g = generator_of(context.seed);
    double rise = -1e300, rest = 0;
    const std::int64_t trials = context.scaled(5, 2), steps = context.scaled(2000, 500);
    for (std::int64_t r = 0; r < trials; ++r) {
      const auto k = expected_ntk(
          operator_units(op), normals({3, 2}, g),
          [&](std::int64_t n) {
            return normals({n, 2}, g);
          },
          4, 200);
      const Tensor b = normals({3, 3}, g);
      Tensor theta =
          r % 2 ? at::mm(b, b.t()) + 0.1 * at::eye(3, at::kDouble) : k.total.mean / k.total.mean.norm() + 0.02 * at::eye(3, at::kDouble);
      theta = theta / theta.norm();
      Flow flow{squared, theta, normals({3, 2}, g)};
      const double before = slope(squared, flow.e).norm().item<double>();
      flow.run(steps, 0.01, 0.01);
      rise = std::max(rise, flow.largest_rise);
      rest = std::max(rest, slope(squared, flow.e).norm().item<double>() / std::max(1e-300, before));
      Flow other{pull, theta.narrow(0, 0, 2).narrow(1, 0, 2), normals({2, 2}, g)};
      other.run(steps / 5, 0.01, 1e300);
      rise = std::max(rise, other.largest_rise);
      context.tick(0.7 * static_cast<double>(r + 1) / static_cast<double>(trials), "flows");
    }
    evidence.at_most(Role::kContext, "largest rise of the loss over a step of the flow, as a share of its start", rise, 0, 1e-10,
                     fmt::format("{} flows of each loss, eps = 1", trials));

    Flow away{pull, at::eye(2, at::kDouble), at::tensor(std::vector<double>{1, 0, 1, 0}, at::kDouble).view({2, 2})};
    std::vector<double> times, fourth;
    for (int part = 0; part < 40 && away.value < 1e300; ++part) {
      away.run(10, 0.005, 1e300);
      if (part < 10) continue;
      times.push_back(std::log(away.time));
      fourth.push_back(std::pow(away.e.narrow(0, 0, 1).norm().item<double>(), 4));
      if (fourth.back() > 40) break;
    }
    // If the gradient is 0 from the start, the trajectory is a point.
    const double growth = away.time > 0 && times.size() > 1 ? fit_line(times, fourth).slope : 0;
    evidence.note("log(1 + exp(-E(e1, e2))), Theta = I: growth of |e|^4 per e-fold of time (0: the trajectory converges)", growth,
                  fmt::format("from e1 = e2 = (1, 0), eps = 1, to time {:.3g}, |e| = {:.3g}, loss {:.2g}", away.time,
                              std::pow(fourth.back(), 0.25), away.value));
    evidence.at_most(Role::kCorrected, "squared errors of all pairs (bounded level sets): |grad L| at the end / at the start", rest, 0,
                     0.05, "bounded trajectories come to rest");
    evidence.set("time", away.time);
    evidence.set("length", std::pow(fourth.back(), 0.25));
    evidence.set("loss", away.value);
    evidence.set("growth", growth);
    evidence.counterexample_stands(growth > 0.05);
    evidence.set("trials", trials);
  }
};

YATLAB_REGISTER(Claim, DeepNtkConvergence, "thm:deep-ntk-convergence");

}  // namespace
}  // namespace yatlab
