#include "plugins/claims/lipschitz_search.h"

namespace yatlab {
namespace {

using namespace claims;

class InputRobustness final : public Claim {
 public:
  struct Params {
    double linear = 2;
    double quadratic = 4;
    static void declare(Fields& f, Params& p) {
      f.field("linear", p.linear, "a of (a/ε + b/ε²) δ, as printed").non_negative();
      f.field("quadratic", p.quadratic, "b of (a/ε + b/ε²) δ, as printed").non_negative();
    }
  };
  explicit InputRobustness(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    double tightest = 0, sharper = 0;
    std::string where, where_sharper;
    const std::vector<double> epsilons{1e-3, 1e-2, 0.1, 1, 10};
    double done = 0;
    for (const double epsilon : epsilons) {
      const auto op = c.op.with_epsilon(epsilon);
      for (const std::int64_t d : {1, 2, 8}) {
        auto g = generator(c.seed + static_cast<std::uint64_t>(d));
        const std::int64_t n = lipschitz_starts(c);
        const Tensor pairs = steep_starts(epsilon, d, n, g);
        const Tensor step = at::pow(10, -3 * uniform({n, 1}, g)) * std::min(1.0, std::sqrt(epsilon)) * directions(n, d, g);
        const Tensor starts = at::cat({pairs, onto_ball(pairs.select(1, 0) + step).unsqueeze(1)}, 1);
        const auto ratio = [&](const Tensor& p) {
          const Tensor x = p.select(1, 0), w = p.select(1, 1), moved = p.select(1, 2);
          const Tensor change = (paired(*op, moved, w) - paired(*op, x, w)).abs();
          // Below 1e-4 sqrt(epsilon) this would measure rounding, not the function.
          return change / ((moved - x).square().sum(-1) + 1e-300).sqrt().clamp_min(1e-4 * std::min(1.0, std::sqrt(epsilon)));
        };
        SearchOptions o = search_options(c, 150);
        o.step_size = 0.1 * std::min(1.0, std::sqrt(epsilon));
        const auto found = maximise(
            ratio, starts, [](const Tensor& p) { return onto_ball(p); }, o);
        const double share = found.value / (p_.linear / epsilon + p_.quadratic / (epsilon * epsilon));
        if (!(share <= tightest)) {
          tightest = share;
          where = fmt::format("d = {}, eps = {:g}: x = {}, x' = {}, w = {}", d, epsilon, text(found.point[0]), text(found.point[2]),
                              text(found.point[1]));
        }
        if (!(found.value / true_lipschitz(epsilon) <= sharper)) {
          sharper = found.value / true_lipschitz(epsilon);
          where_sharper = fmt::format("d = {}, eps = {:g}", d, epsilon);
        }
        c.tick(++done / 16, "searching for the most sensitive pair");
      }
    }
    e.at_most(Role::kCore, fmt::format("largest |change| / (({:g}/eps + {:g}/eps^2) delta) found", p_.linear, p_.quadratic), tightest, 1,
              1e-9, where);
    e.at_most(Role::kCorrected, "the same over delta times the true Lipschitz constant", sharper, 1, 1e-6, where_sharper);
    e.set("triples", lipschitz_starts(c));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, InputRobustness, "prop:input-robustness");

}  // namespace
}  // namespace yatlab
