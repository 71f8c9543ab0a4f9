#include <limits>

#include "plugins/claims/boundary.h"

namespace yatlab {
namespace {

using namespace claims;

class OrthogonalSeparation final : public Claim {
 public:
  struct Params {
    double best_angle = 90;
    static void declare(Fields& f, Params& p) {
      f.field("best_angle", p.best_angle, "claimed angle between prototypes, in degrees, at which the boundary is farthest from them")
          .range(0, 180);
    }
  };
  explicit OrthogonalSeparation(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    const auto op = c.op.with_epsilon(1);
    double cross = 0;
    for (const std::int64_t d : {2, 8, 64}) {
      const std::int64_t n = c.scaled(2048, 128);
      const Tensor wi = normal({n, d}, g);
      Tensor wj = normal({n, d}, g);
      for (int again = 0; again < 2; ++again) wj = wj - (wj * unit(wi)).sum(-1, true) * unit(wi);
      cross = std::max(cross, (paired(*op, wj, wi).abs() / (norms(wi) * norms(wj))).max().item<double>());
    }
    e.at_most(Role::kCore, "(1) largest |E(w_i, w_j)| of orthogonal prototypes, eps = 1", cross, 0, 1e-12);

    // Orthogonal on the simplex: a random split of the coordinates.
    double smallest = std::numeric_limits<double>::infinity();
    for (std::int64_t trial = 0; trial < c.scaled(200, 20); ++trial) {
      const auto mask = uniform({12}, g) < 0.5;
      const auto p = numbers(at::where(mask, uniform({12}, g), at::zeros({12}, at::kDouble)));
      const auto q = numbers(at::where(mask, at::zeros({12}, at::kDouble), uniform({12}, g)));
      double sum_p = 0, sum_q = 0, kl = 0;
      for (std::size_t i = 0; i < p.size(); ++i) {
        sum_p += p[i];
        sum_q += q[i];
      }
      if (sum_p == 0 || sum_q == 0) continue;
      for (std::size_t i = 0; i < p.size(); ++i) {
        if (p[i] > 0) kl += p[i] / sum_p * std::log((p[i] / sum_p) / (q[i] / sum_q));
      }
      smallest = std::min(smallest, kl);
    }
    e.at_least(Role::kCore, "(2) smallest KL(w_i | w_j) of orthogonal pairs on the simplex", smallest,
               std::numeric_limits<double>::infinity(), 0);

    double worst_ratio = 0, rising = 0, core_lead = 1e300;
    std::string where;
    double done = 0;
    const double step = c.effort >= 0.5 ? 10 : 30;
    for (const double epsilon : {0.01, 0.1, 1.0}) {
      const auto curved = c.op.with_epsilon(epsilon);
      const Tensor wi = row({1, 0});
      const auto separation = [&](double degrees) {
        const double a = degrees * M_PI / 180;
        return distance_to_boundary(*curved, wi, wi, row({std::cos(a), std::sin(a)}));
      };
      const double claimed = separation(p_.best_angle);
      double before = 0;
      for (double angle = step; angle <= 180.5; angle += step) {
        const double value = separation(angle);
        if (!(value / claimed <= worst_ratio)) {
          worst_ratio = value / claimed;
          where = fmt::format("eps = {:g}: {:.4f} at {:g} degrees, {:.4f} at {:g}", epsilon, value, angle, claimed, p_.best_angle);
        }
        if (angle < 90.5) {
          rising = std::max(rising, before - value);
          before = value;
        }
        c.tick(++done / (3 * 180 / step + 1), "measuring distances to boundaries");
      }
      core_lead = std::min(core_lead, score(*curved, {1, 0}, {1, 0}) - score(*curved, {1, 0}, {0, 1}));
    }
    e.at_most(Role::kCore, "(3) largest distance core-boundary at any angle / at the claimed one", worst_ratio, 1, 1e-3, where);
    e.at_most(Role::kCorrected, "(3) largest fall of the distance while the angle grows to 90 degrees (prototypes of one sign)", rising, 0,
              1e-3);
    e.at_least(Role::kCorrected, "(3) what the proof shows: E(w_i, w_i) - E(w_j, w_i) > 0 for orthogonal unit prototypes", core_lead, 1,
               1e-9, "eps = 0.01, 0.1, 1: |w_i|^4/eps");
    const double across = distance_to_boundary(*op, row({1, 0}), row({1, 0}), row({0, 1}));
    const double opposite = distance_to_boundary(*op, row({1, 0}), row({1, 0}), row({-1, 0}));
    e.set("across", across);
    e.set("opposite", opposite);
    e.counterexample_stands(opposite > across);
    e.set("step", fmt::format("{:g}", step));
    e.set("pairs", c.scaled(2048, 128));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, OrthogonalSeparation, "cor:orthogonal-separation");

}  // namespace
}  // namespace yatlab
