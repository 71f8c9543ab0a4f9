#include "plugins/claims/lipschitz_search.h"

namespace yatlab {
namespace {

using namespace claims;

class Stability final : public Claim {
 public:
  struct Params {
    double quadratic_share = 0;
    static void declare(Fields& f, Params& p) {
      f.field("quadratic_share", p.quadratic_share, "b of the bound ‖W‖⁴/ε + b‖W‖²: 0 as printed, 1 is right").non_negative();
    }
  };
  explicit Stability(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    double constant = 0, bounded = 0, slope = 0;
    std::string where, where_slope;
    auto g = generator(c.seed);
    double done = 0;
    for (const double epsilon : {1e-3, 1e-1, 1.0, 10.0}) {
      const auto op = c.op.with_epsilon(epsilon);
      for (const std::int64_t d : {2, 8}) {
        const std::int64_t n = c.scaled(64, 16);
        const Tensor w = directions(1, d, g);
        const Tensor starts = at::cat({w * (1 + 2 * epsilon * uniform({n, 1}, g)), 3 * normal({n, d}, g)}, 0);
        SearchOptions o = search_options(c, 80);
        o.step_size = 0.02 * std::min(1.0, std::sqrt(epsilon));
        const auto high = maximise([&](const Tensor& x) { return paired(*op, x, w.expand_as(x)); }, starts, {}, o);
        bounded = std::max(bounded, high.value / true_maximum(1, epsilon));
        const double ratio = high.value / (1 / epsilon + p_.quadratic_share);
        if (!(ratio <= constant)) {
          constant = ratio;
          where = fmt::format("|w| = 1, d = {}, eps = {:g}: E = {:.6g} at |x| = {:.5g}", d, epsilon, high.value,
                              high.point.norm().item<double>());
        }
        const double steep = steepest(*op, epsilon, d, c).value / printed_lipschitz(epsilon);
        if (!(steep <= slope)) {
          slope = steep;
          where_slope = fmt::format("d = {}, eps = {:g}", d, epsilon);
        }
        c.tick(++done / 9, "searching for responses and slopes");
      }
    }
    e.at_most(Role::kCore, "(1) largest response over |w|^4/eps + |w|^2: bounded", bounded, 1, 1e-6);
    e.at_most(Role::kDetail, "(1) largest response over the printed |W|^4/eps", constant, 1, 1e-9, where);
    e.at_most(Role::kCore, "(2) largest |grad_x E| / (2/eps + 4/eps^2) on the unit ball", slope, 1, 1e-9, where_slope);
    const auto op = c.op.with_epsilon(1);
    const Tensor far = 1e6 * row({0.6, 0.8}), w = row({1, 0});
    e.at_most(Role::kCore, "(3) |grad_x E| at |x| = 1e6", norms(gradient(*op, far, w)).item<double>(), 0, 1e-4, "w = (1, 0), eps = 1");
    // |grad| at x = w is 2|w|^3/eps.
    const Tensor ten = row({10, 0});
    e.at_most(Role::kReading, "(2) |grad_x E| over L outside the unit ball, which the remark does not mention",
              norms(gradient(*op, ten, ten)).item<double>() / printed_lipschitz(1), 1, 1e-9, "w = x = (10, 0), eps = 1");
    e.at_most(Role::kReading, "(3) |grad_w E|, the gradient that training clips, at |x| = 1e6",
              norms(gradient_in_w(*op, far, w)).item<double>(), 0, 1e-4, "w = (1, 0), u = (0.6, 0.8), eps = 1");
    const double beyond = score(*op, {2, 0}, {1, 0}), printed = norms(w).pow(4).item<double>();
    e.set("beyond", beyond);
    e.set("printed", printed);
    e.set("steep", norms(gradient(*op, ten, ten)).item<double>());
    e.set("constant", printed_lipschitz(1));
    e.set("sharp", true_lipschitz(1e-5));
    e.counterexample_stands(beyond > printed);
    e.set("starts", 2 * c.scaled(64, 16));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, Stability, "rem:stability");

}  // namespace
}  // namespace yatlab
