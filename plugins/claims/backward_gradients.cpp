#include "plugins/claims/geometry.h"

namespace yatlab {
namespace {

using namespace claims;

class BackwardGradients final : public Claim {
 public:
  struct Params {
    bool second_over_d = false;
    static void declare(Fields& f, Params& p) {
      f.field("second_over_d", p.second_over_d,
              "read the second formula with denominator D² and X as a factor; false: as printed (X in the denominator, no D)");
    }
  };
  explicit BackwardGradients(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    double first = 0, second = 0, right = 0;
    std::string where, where_second;
    double done = 0;
    for (const double epsilon : {1e-3, 0.1, 1.0, 10.0}) {
      const auto op = c.op.with_epsilon(epsilon);
      for (const std::int64_t d : {1, 3, 16}) {
        const std::int64_t n = c.scaled(2048, 64);
        const Tensor X = normal({n, d}, g), W = normal({n, d}, g);
        const Tensor S = (X * W).sum(-1, true), XX = X.square().sum(-1, true), WW = W.square().sum(-1, true);
        const Tensor D = XX + WW - 2 * S + epsilon, factor = 2 * S * (WW + XX + epsilon - S);
        const auto scale = [&](const Tensor& a, const Tensor& b) {
          return norms(factor / D.square() * a) + norms(2 * (S / D).square() * b) + 1e-12;
        };
        const auto worst = [&](const Tensor& error, double& so_far, std::string& place) {
          const double largest = error.max().item<double>();
          if (!(largest <= so_far)) {
            so_far = largest;
            place = fmt::format("d = {}, eps = {:g}", d, epsilon);
          }
        };
        const Tensor in_x = gradient(*op, X, W), in_w = gradient_in_w(*op, X, W);
        const Tensor correct = factor / D.square() * X - 2 * (S / D).square() * W;
        const Tensor printed = p_.second_over_d ? correct : factor / X - 2 * (S / D).square() * W;
        std::string ignored;
        worst(norms(in_x - (factor / D.square() * W - 2 * (S / D).square() * X)) / scale(W, X), first, where);
        worst(norms(in_w - printed) / scale(X, W), second, where_second);
        worst(norms(in_w - correct) / scale(X, W), right, ignored);
        c.tick(++done / 13, "comparing formulas");
      }
    }
    // Here D comes from the expanded square, as printed: rounding of 1e-16 * 100 against eps >= 1e-3.
    e.at_most(Role::kCore, "grad_X: largest relative difference from the printed formula", first, 0, 1e-9, where);
    e.at_most(Role::kDetail, "grad_W: largest relative difference from the printed formula", second, 0, 1e-9, where_second);
    e.at_most(Role::kCorrected, "grad_W: largest relative difference from the first formula with X and W exchanged", right, 0, 1e-9);
    const double S = 4, D = 1, factor = 2 * S * (4 + 4 + 1 - S);  // at X = W = 2, eps = 1
    const double derivative = gradient_in_w(*c.op.with_epsilon(1), row({2}), row({2})).item<double>(),
                 printed = factor / 2 - 2 * S * S / (D * D) * 2;
    e.set("derivative", derivative);
    e.set("printed", printed);
    e.counterexample_stands(std::abs(derivative - printed) > 1e-9);
    e.set("pairs", c.scaled(2048, 64));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, BackwardGradients, "prop:backward-gradients");

}  // namespace
}  // namespace yatlab
