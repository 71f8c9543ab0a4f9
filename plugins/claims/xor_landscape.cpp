#include "core/verdict/statistics.h"
#include "plugins/claims/lipschitz_search.h"
#include "plugins/claims/xor_points.h"

namespace yatlab {
namespace {

using namespace claims;

class XorLandscape final : public Claim {
 public:
  struct Params {
    double exponent = 1;
    static void declare(Fields& f, Params& p) {
      f.field("exponent", p.exponent, "outliers: gradients of O(1/‖x‖^exponent), as printed").non_negative();
    }
  };
  explicit XorLandscape(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    double at_zero = 0, slope = 0, curvature = 0;
    for (const double epsilon : {1e-5, 1e-2, 1.0, 10.0}) {
      const auto op = c.op.with_epsilon(epsilon);
      for (const std::int64_t d : {1, 2, 8}) {
        const Tensor w = normal({c.scaled(256, 32), d}, g), zero = at::zeros_like(w);
        at_zero = std::max(
            {at_zero, norms(gradient(*op, zero, w)).max().item<double>(), norms(gradient_in_w(*op, zero, w)).max().item<double>()});
        // The second derivative there along v: 2 <w,v>^2/(|w|^2 + eps), and 0 orthogonal to w.
        const Tensor v = directions(w.size(0), d, g);
        const double h = 1e-4 * std::min(1.0, std::sqrt(epsilon));
        const Tensor second = (gradient(*op, h * v, w) - gradient(*op, -h * v, w)) / (2 * h);
        const Tensor expected = 2 * (w * v).sum(-1, true) * w / (w.square().sum(-1, true) + epsilon);
        curvature = std::max(curvature,
                             (norms(second - expected) / (norms(w).square() / (norms(w).square() + epsilon) + 1e-3)).max().item<double>());
      }
      slope = std::max(slope, steepest(*op, epsilon, 2, c).value / printed_lipschitz(epsilon));
      c.tick(0.2, "looking at gradients");
    }
    e.at_least(Role::kCore, "(1) largest gradient at x = 0, in x or in w ('no vanishing gradients', 'non-degenerate')", at_zero, 1e-9, 0,
               "d = 1, 2, 8; eps = 1e-5..10: the factor <w, x> is 0");
    e.at_most(Role::kCorrected, "(1) second derivative at 0: relative difference from 2 w w^T/(|w|^2 + eps), of rank 1", curvature, 0,
              1e-3);
    e.at_most(Role::kCore, "(2) largest |grad_x E| / (2/eps + 4/eps^2) on the unit ball", slope, 1, 1e-9);
    const auto op = c.op.with_epsilon(1);
    std::vector<double> ks, sizes;
    for (double k = 1e2; k < 1.5e5; k *= std::sqrt(10.0)) {
      ks.push_back(k);
      sizes.push_back(norms(gradient(*op, k * row({0.6, 0.8}), row({1, 0}))).item<double>() + 1e-300);
    }
    e.at_most(Role::kCore, "(3) fitted exponent of |grad_x E| along a ray", fit_power_law(ks, sizes).slope, -p_.exponent, 0.02,
              "w = (1, 0), u = (0.6, 0.8), eps = 1");
    const Tensor pull = norms(gradient_in_w(*op, xor_points(), xor_weights()));
    e.at_least(Role::kReading, "smallest |grad_w E| over the four points at w = (1, -1) ('in contrast to dead neurons')",
               pull.min().item<double>(), 1e-9, 0, "(0,0) and (1,1) lie across w");
    e.note("length of w = (1, -1), outside the unit ball on which (2) is stated", std::sqrt(2.0));
    const auto length_of = [](const Tensor& t) { return norms(t).item<double>(); };
    e.set("at_zero", at_zero);
    e.set("in_x", length_of(gradient(*op, row({1, 1}), row({1, -1}))));
    e.set("in_w", length_of(gradient_in_w(*op, row({1, 1}), row({1, -1}))));
    e.counterexample_stands(at_zero < 1e-9);
    e.set("prototypes", c.scaled(256, 32));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, XorLandscape, "prop:xor-landscape");

}  // namespace
}  // namespace yatlab
