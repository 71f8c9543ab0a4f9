#include "core/verdict/statistics.h"
#include "plugins/claims/geometry.h"

namespace yatlab {
namespace {

using namespace claims;

class SelfRegulation final : public Claim {
 public:
  struct Params {
    double cosine_power = 2;
    static void declare(Fields& f, Params& p) {
      f.field("cosine_power", p.cosine_power, "power of cos θ in the limit, as printed").non_negative();
    }
  };
  explicit SelfRegulation(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    double worst = 0, overshoot = 0, worst_ray = 0;
    std::string where, where_over;
    double done = 0;
    const std::vector<double> epsilons{1e-5, 1e-2, 1, 10};
    for (const double epsilon : epsilons) {
      const auto op = c.op.with_epsilon(epsilon);
      for (const std::int64_t d : {2, 5, 32}) {
        const std::int64_t n = c.scaled(256, 32);
        const Tensor w = normal({n, d}, g);
        const Tensor lengths = norms(w);
        const auto limit = [&](const Tensor& u) {
          const Tensor cosine = (w * u).sum(-1) / lengths;
          return lengths.square() * cosine.abs().pow(p_.cosine_power);
        };
        const double k = 1e8;
        // |E - limit| decays like 2|a|^3/k: with |w| < 20 here it is below 2e-4 at k = 1e8.
        const auto gap = [&](const Tensor& u) {
          const Tensor v = unit(u);
          return (paired(*op, k * v, w) - limit(v)).abs() / (1 + lengths.pow(3));
        };
        // The search changes directions only. Each row has its own prototype, so all rows are kept.
        SearchOptions o = search_options(c, 40);
        o.keep = n;
        o.refinements = 0;
        const auto found = maximise(gap, directions(n, d, g), unit, o);
        if (!(found.value <= worst)) {
          worst = found.value;
          where = fmt::format("d = {}, eps = {:g}, u = {}", d, epsilon, text(found.point));
        }
        // The whole ray: a dense logarithmic grid that includes the analytic turning point.
        const Tensor u = directions(n, d, g), a = (w * u).sum(-1), W = lengths.square() + epsilon;
        const Tensor closed = a.square() * W / (W - a.square());
        Tensor highest = paired(*op, u * (W / a).unsqueeze(1), w);
        for (double exponent = -3; exponent <= 8; exponent += 0.25) {
          highest = at::maximum(highest, paired(*op, std::pow(10.0, exponent) * u, w));
          highest = at::maximum(highest, paired(*op, -std::pow(10.0, exponent) * u, w));
        }
        const double excess = (highest / closed).max().item<double>();
        if (!(excess <= worst_ray)) worst_ray = excess;
        const double over = (closed / a.square()).max().item<double>();
        if (over > overshoot) {
          overshoot = over;
          where_over = fmt::format("d = {}, eps = {:g}", d, epsilon);
        }
        c.tick(++done / 13, "following rays");
      }
    }
    e.at_most(Role::kCore, "largest |E(w, k u) - |w|^2 cos^2(theta)| / (1 + |w|^3) at k = 1e8", worst, 0, 1e-6, where);
    e.at_most(Role::kCore, "largest E(w, k u) over all k, over its closed form a^2 W/(W - a^2)", worst_ray, 1, 1e-6,
              "k = +-1e-3..1e8 and the turning point W/a");

    const auto op = c.op.with_epsilon(1);
    std::vector<double> ks, gaps;
    const Tensor w = row({1, 0}), u = row({0.6, 0.8});
    for (double k = 1e2; k < 1.5e5; k *= std::sqrt(10.0)) {
      ks.push_back(k);
      gaps.push_back(std::abs(paired(*op, k * u, w).item<double>() - 0.36) + 1e-300);
    }
    const auto fit = fit_power_law(ks, gaps);
    e.note("fitted exponent of the approach to the limit", fit.slope, "w = (1, 0), u = (0.6, 0.8), eps = 1");
    e.note("largest value on a ray over its limit", overshoot, where_over);
    e.set("prototypes", c.scaled(256, 32));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, SelfRegulation, "prop:self-regulation");

}  // namespace
}  // namespace yatlab
