#include "core/verdict/statistics.h"
#include "plugins/claims/lipschitz_search.h"

namespace yatlab {
namespace {

using namespace claims;

class Lipschitz final : public Claim {
 public:
  struct Params {
    double linear = 2;
    double quadratic = 4;
    static void declare(Fields& f, Params& p) {
      f.field("linear", p.linear, "a of L = a/ε + b/ε², as printed").non_negative();
      f.field("quadratic", p.quadratic, "b of L = a/ε + b/ε², as printed").non_negative();
    }
  };
  explicit Lipschitz(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    double tightest = 0, sharper = 0, exact = 0;
    std::string where, where_sharper;
    std::vector<double> small, slopes;
    const std::vector<double> epsilons{1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1, 3, 10};
    double done = 0;
    for (const double epsilon : epsilons) {
      const auto op = c.op.with_epsilon(epsilon);
      double largest = 0;
      for (const std::int64_t d : {1, 2, 8}) {
        const auto found = steepest(*op, epsilon, d, c);
        const double ratio = found.value / (p_.linear / epsilon + p_.quadratic / (epsilon * epsilon));
        if (!(ratio <= tightest)) {
          tightest = ratio;
          where = fmt::format("d = {}, eps = {:g}: x = {}, w = {}, |grad| = {:.6g}", d, epsilon, text(found.point[0]), text(found.point[1]),
                              found.value);
        }
        largest = std::max(largest, found.value);
        c.tick(++done / (3.0 * epsilons.size() + 1), "climbing to the steepest point");
      }
      if (largest / sharper_lipschitz(epsilon) > sharper) {
        sharper = largest / sharper_lipschitz(epsilon);
        where_sharper = fmt::format("eps = {:g}", epsilon);
      }
      exact = std::max(exact, std::abs(largest / true_lipschitz(epsilon) - 1));
      e.note(fmt::format("largest |grad_x E| found / printed constant, eps = {:g}", epsilon), largest / printed_lipschitz(epsilon));
      if (epsilon < 0.05) {
        small.push_back(epsilon);
        slopes.push_back(largest);
      }
    }
    e.at_most(Role::kCore, fmt::format("largest |grad_x E| / ({:g}/eps + {:g}/eps^2) found", p_.linear, p_.quadratic), tightest, 1, 1e-9,
              where);
    e.at_most(Role::kCorrected, "largest |grad_x E| / (2/eps + (3 sqrt(3)/8) eps^(-3/2)) found", sharper, 1, 1e-9, where_sharper);
    e.at_most(Role::kCorrected, "largest relative distance of the maximum found from its closed form", exact, 0, 1e-3,
              "2/eps for eps >= 1, else the root of a cubic on the ray x = (1 - r) w, |w| = 1");
    e.note("fitted power of eps of the true constant, eps = 1e-3..0.03", fit_power_law(small, slopes).slope);
    e.set("starts", lipschitz_starts(c));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, Lipschitz, "prop:lipschitz");

}  // namespace
}  // namespace yatlab
