#include "plugins/claims/geometry.h"

namespace yatlab {
namespace {

using namespace claims;

class GradientDirection final : public Claim {
 public:
  struct Params {
    double sign = -1;
    static void declare(Fields& f, Params& p) { f.field("sign", p.sign, "sign of the distance term, as printed").range(-1, 1); }
  };
  explicit GradientDirection(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    double worst = 0, worst_difference = 0;
    std::string where, where_difference;
    double done = 0;
    for (const double epsilon : {1e-3, 1e-1, 1.0, 10.0}) {
      const auto op = c.op.with_epsilon(epsilon);
      for (const std::int64_t d : {1, 2, 5, 32}) {
        const std::int64_t n = c.scaled(2048, 64);
        const Tensor w = normal({n, d}, g);
        Tensor x = normal({n, d}, g);
        x.narrow(0, 0, n / 2).copy_(w.narrow(0, 0, n / 2) + std::sqrt(epsilon) * normal({n / 2, d}, g));
        const Tensor formula = printed_gradient(x, w, epsilon, -p_.sign);
        const Tensor other = printed_gradient(w, x, epsilon, -p_.sign);
        // The magnitude of the two terms, which may cancel each other.
        const auto scale = [&](const Tensor& a, const Tensor& b) {
          const Tensor q = (a * b).abs().sum(-1) / ((a - b).square().sum(-1) + epsilon);
          return 2 * q * (norms(b) + q * norms(a - b)) + 1e-12;
        };
        const Tensor first = norms(gradient(*op, x, w) - formula) / scale(x, w);
        const Tensor second = norms(gradient_in_w(*op, x, w) - other) / scale(w, x);
        const Tensor error = at::maximum(first, second);
        const auto at_worst = error.argmax().item<std::int64_t>();
        if (!(error[at_worst].item<double>() <= worst)) {
          worst = error[at_worst].item<double>();
          where = fmt::format("d = {}, eps = {:g}: x = {}, w = {}", d, epsilon, text(x[at_worst]), text(w[at_worst]));
        }
        // Directional derivative along v; the step is a small fraction of the distance to the complex poles.
        const Tensor v = directions(n, d, g);
        const double h = 0.02 * std::sqrt(epsilon);
        const auto at_step = [&](double t) { return paired(*op, x + t * h * v, w); };
        const Tensor slope = (45 * (at_step(1) - at_step(-1)) - 9 * (at_step(2) - at_step(-2)) + (at_step(3) - at_step(-3))) / (60 * h);
        // Relative to the size of the function up to the distance of its poles, which also covers points where s vanishes.
        const Tensor reach = (norms(x) + std::sqrt(epsilon)) * norms(w);
        const Tensor D = (x - w).square().sum(-1) + epsilon;
        const Tensor off = (slope - (formula * v).sum(-1)).abs() / (reach / D * (norms(w) + reach / std::sqrt(epsilon)));
        const double largest = off.max().item<double>();
        if (!(largest <= worst_difference)) {
          worst_difference = largest;
          where_difference = fmt::format("d = {}, eps = {:g}, step {:.2g}", d, epsilon, h);
        }
        c.tick(++done / 17, "differentiating");
      }
    }
    e.at_most(Role::kCore, "largest relative difference, automatic differentiation (both arguments)", worst, 0, 1e-9, where);
    e.at_most(Role::kCore, "largest relative difference, finite differences", worst_difference, 0, 1e-7, where_difference);
    e.set("pairs", c.scaled(2048, 64));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, GradientDirection, "thm:gradient");

}  // namespace
}  // namespace yatlab
