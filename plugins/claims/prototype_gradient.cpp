#include "core/verdict/statistics.h"
#include "plugins/claims/lipschitz_search.h"

namespace yatlab {
namespace {

using namespace claims;

class PrototypeGradient final : public Claim {
 public:
  struct Params {
    double sign = 1;
    double smoothness_exponent = 2;
    static void declare(Fields& f, Params& p) {
      f.field("sign", p.sign, "sign of the distance term in ∇_w E, as printed").range(-1, 1);
      f.field("smoothness_exponent", p.smoothness_exponent, "k: gradients are Lipschitz with constant O(1/ε^k), as printed").positive();
    }
  };
  explicit PrototypeGradient(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    double formula = 0, right = 0, robust = 0;
    std::string where;
    double done = 0;
    for (const double epsilon : {1e-2, 1.0, 10.0}) {
      const auto op = c.op.with_epsilon(epsilon);
      for (const std::int64_t d : {2, 8}) {
        const std::int64_t n = c.scaled(1024, 64);
        const Tensor w = normal({n, d}, g), x = normal({n, d}, g), measured = gradient_in_w(*op, x, w);
        const Tensor s = (w * x).sum(-1), D = (w - x).square().sum(-1) + epsilon;
        const Tensor scale = 2 * s.abs() / D * (norms(x) + s.abs() / D * norms(w - x)) + 1e-12;
        const Tensor error = norms(measured - printed_gradient(w, x, epsilon, -p_.sign)) / scale;
        if (!(error.max().item<double>() <= formula)) {
          formula = error.max().item<double>();
          where = fmt::format("d = {}, eps = {:g}", d, epsilon);
        }
        right = std::max(right, (norms(measured - printed_gradient(w, x, epsilon)) / scale).max().item<double>());
        const auto slope = [&](const Tensor& p) { return norms(gradient_in_w(*op, p.select(1, 1), p.select(1, 0))); };
        SearchOptions o = search_options(c, 100);
        o.step_size = 0.1 * std::min(1.0, std::sqrt(epsilon));
        robust =
            std::max(robust, maximise(
                                 slope, steep_starts(epsilon, d, lipschitz_starts(c), g), [](const Tensor& p) { return onto_ball(p); }, o)
                                     .value /
                                 printed_lipschitz(epsilon));
        c.tick(++done / 12, "comparing gradients");
      }
    }
    e.at_most(Role::kDetail, "largest relative difference of grad_w E from the printed formula", formula, 0, 1e-9, where);
    e.at_most(Role::kCorrected, "the same with a minus sign", right, 0, 1e-9);

    const auto op = c.op.with_epsilon(1);
    const Tensor w = row({1, 0}), far = 1e6 * row({0.6, 0.8});
    // The proposition is about grad_w E; the one that it cites for (1) is about grad_x E.
    e.at_most(Role::kCore, "(1) |grad_w E| for an input at |x| = 1e6", norms(gradient_in_w(*op, far, w)).item<double>(), 0, 1e-4,
              "w = (1, 0), x = 1e6 (0.6, 0.8), eps = 1");
    e.at_most(Role::kCorrected, "(1) |grad_x E|, of which the cited proposition speaks, there", norms(gradient(*op, far, w)).item<double>(),
              0, 1e-4, "the same w, x and eps");
    e.at_most(Role::kCorrected, "(1) |grad_w E - 2<w,u>u| there", norms(gradient_in_w(*op, far, w) - row({0.72, 0.96})).item<double>(), 0,
              1e-4);
    e.at_most(Role::kCore, "(2) largest |grad_w E| / (2/eps + 4/eps^2) on the unit ball", robust, 1, 1e-9);

    // (3) Change of the gradient between points h apart: a lower bound of its Lipschitz constant, which the search maximises.
    std::vector<double> epsilons, constants;
    double against = 0;
    for (const double epsilon : {1e-3, 3e-3, 1e-2, 3e-2, 0.1}) {
      const auto curved = c.op.with_epsilon(epsilon);
      double largest = 0;
      for (const std::int64_t d : {2, 4}) {
        const std::int64_t n = lipschitz_starts(c);
        const double h = 1e-3 * std::sqrt(epsilon);
        Tensor starts = at::cat({steep_starts(epsilon, d, n, g), directions(n, d, g).unsqueeze(1)}, 1);
        starts.narrow(0, 0, n / 4).select(1, 0).copy_(starts.narrow(0, 0, n / 4).select(1, 1) * (1 - h));
        const auto change = [&](const Tensor& p) {
          const Tensor x = p.select(1, 0), prototype = p.select(1, 1), v = unit(p.select(1, 2));
          return norms(gradient_in_w(*curved, prototype, x + 0.5 * h * v) - gradient_in_w(*curved, prototype, x - 0.5 * h * v)) / h;
        };
        SearchOptions o = search_options(c, 100);
        o.step_size = 0.1 * std::sqrt(epsilon);
        largest = std::max(largest, maximise(
                                        change, starts, [](const Tensor& p) { return onto_ball(p); }, o)
                                        .value);
        c.tick(++done / 17, "searching for the strongest curvature");
      }
      epsilons.push_back(epsilon);
      constants.push_back(largest);
      against = std::max(against, largest * epsilon * epsilon);
    }
    const auto fit = fit_power_law(epsilons, constants);
    e.at_least(Role::kCore, "(3) fitted power of eps of the gradient's Lipschitz constant", fit.slope, -p_.smoothness_exponent, 0.1,
               "eps = 1e-3..0.1, unit ball");
    e.note("(3) largest eps^2 times that constant (2 from x = w, |w| = 1 alone)", against);
    const double derivative = gradient_in_w(*op, row({2}), row({1})).item<double>(),
                 printed = printed_gradient(row({1}), row({2}), 1, -p_.sign).item<double>();
    e.set("derivative", derivative);
    e.set("printed", printed);
    e.set("far", norms(gradient_in_w(*op, far, w)).item<double>());
    e.counterexample_stands(std::abs(derivative - printed) > 1e-9);
    e.set("pairs", c.scaled(1024, 64));
    e.set("starts", lipschitz_starts(c));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, PrototypeGradient, "prop:prototype-gradient");

}  // namespace
}  // namespace yatlab
