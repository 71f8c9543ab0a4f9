#include "plugins/claims/boundary.h"

namespace yatlab {
namespace {

using namespace claims;

/// Points of E(w_i, .) = E(w_j, .) on segments from w_i to points around w_j, by bisection. [R, 2]
Tensor boundary_points(const Operator& op, const Tensor& wi, const Tensor& wj) {
  const Tensor t = at::linspace(-0.8, 0.8, 65, at::kDouble).unsqueeze(1);
  const Tensor along = wj - wi, aside = at::stack({-along.select(1, 1), along.select(1, 0)}, 1);
  const Tensor ends = wj + t * aside, starts = wi + t * aside;
  Tensor low = at::zeros({65, 1}, at::kDouble), high = at::ones({65, 1}, at::kDouble);
  const Tensor valid = at::logical_and(lead(op, starts, wi, wj) > 0, lead(op, ends, wi, wj) < 0);
  for (int i = 0; i < 50; ++i) {
    const Tensor middle = 0.5 * (low + high);
    const Tensor ahead = (lead(op, starts + middle * (ends - starts), wi, wj) > 0).unsqueeze(1);
    low = at::where(ahead, middle, low);
    high = at::where(ahead, high, middle);
  }
  const Tensor x = starts + low * (ends - starts);
  return x.index_select(0, valid.nonzero().reshape({-1}));
}

/// Largest distance of points from their best-fitting straight line, divided by their extent.
double bend(const Tensor& points) {
  if (points.size(0) < 3) return 0;
  const Tensor centred = points - points.mean(0, true);
  const auto values = numbers(at::matmul(centred.t(), centred));
  const double angle = 0.5 * std::atan2(2 * values[1], values[0] - values[3]);
  const Tensor normal_part = at::matmul(centred, at::tensor({-std::sin(angle), std::cos(angle)}, at::kDouble));
  const Tensor along = at::matmul(centred, at::tensor({std::cos(angle), std::sin(angle)}, at::kDouble));
  return (normal_part.abs().max() / (along.max() - along.min())).item<double>();
}

class LinearBoundaries final : public Claim {
 public:
  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    const auto dot = Registry<Operator>::create("dot");
    const std::int64_t n = c.scaled(4096, 256);
    double off = 0;
    for (const std::int64_t d : {2, 16, 128}) {
      const Tensor x = normal({n, d}, g), wi = normal({n, d}, g), wj = normal({n, d}, g);
      off = std::max(off, ((paired(*dot, x, wi) - paired(*dot, x, wj) - ((wi - wj) * x).sum(-1)).abs() / norms(x)).max().item<double>());
    }
    e.at_most(Role::kCore, "dot product: largest |E_i - E_j - <w_i - w_j, x>| / |x|", off, 0, 1e-12);
    c.tick(0.3, "tracing boundaries");
    double straightest = 1e300;
    std::string where;
    std::int64_t traced = 0;
    for (const double epsilon : {1e-3, 0.1, 1.0}) {
      const auto op = c.op.with_epsilon(epsilon);
      for (const double length : {1.5, 2.0, 3.0}) {
        const Tensor points = boundary_points(*op, row({1, 0}), row({0.5 * length, std::sqrt(0.75) * length}));
        const double value = bend(points);
        traced += points.size(0);
        if (value < straightest) {
          straightest = value;
          where = fmt::format("w_i = (1, 0), w_j of length {:g} at 60 degrees, eps = {:g}, {} points", length, epsilon, points.size(0));
        }
      }
    }
    c.tick(0.8, "tracing boundaries");
    e.at_least(Role::kCore, "smallest bend of the operator's boundary (distance from a straight line / extent)", straightest, 0.005, 0,
               where);
    const auto op = c.op.with_epsilon(1);
    e.at_most(Role::kReading, "sign changes of E_i - E_j on a small circle around 0 (at most 2 for a smooth curve)",
              sign_changes(*op, row({1, 0}), row({0.5, 1}), 1e-3), 2, 0, "w_i = (1, 0), w_j = (0.5, 1), eps = 1");
    e.note("bend between prototypes of equal norm", bend(boundary_points(*op, row({1, 0}), row({0.5, std::sqrt(0.75)}))));
    const int crossings = sign_changes(*op, row({1, 0}), row({0.5, 1}), 1e-3);
    const Tensor diagonal = at::linspace(-2, 2, 41, at::kDouble).unsqueeze(1).expand({41, 2});
    e.set("crossings", crossings);
    e.set("diagonal", fmt::format("{:.2g}", lead(*op, diagonal, row({1, 0}), row({0, 1})).abs().max().item<double>()));
    e.counterexample_stands(crossings > 2);
    e.set("traced", traced);
    e.set("random", 3 * n);
  }
};

YATLAB_REGISTER(Claim, LinearBoundaries, "rem:linear-boundaries");

}  // namespace
}  // namespace yatlab
