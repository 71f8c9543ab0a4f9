#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/measure/claim.h"
#include "plugins/claims/squashing.h"

namespace yatlab {
namespace {

using namespace claims;

/// Softermax as defined, through the registry's normalizer; and the text's statements about stability and sharpness.
class SoftermaxDefinition final : public Claim {
 public:
  struct Params {
    std::string normalizer = "softermax";
    double epsilon = 1e-12;
    static void declare(Fields& f, Params& p) {
      f.field("normalizer", p.normalizer, "registered normalizer to compare with the definition");
      f.field("epsilon", p.epsilon, "epsilon in the denominator; the paper asks for any > 0").positive();
    }
  };
  explicit SoftermaxDefinition(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    auto g = kernels::generator_of(context.seed);
    double worst = 0, lowest = 1, highest = 0, order = 0;
    for (const double power : squashing::kPowers) {
      const auto normalizer = squashing::make(p_.normalizer, power);
      const Tensor x = kernels::normals({context.scaled(500, 30), 12}, g).square() *
                       at::pow(10.0, 4 * kernels::uniforms({context.scaled(500, 30), 1}, g) - 2);
      const Tensor y = normalizer->normalize(x, 1), formula = printed(x, power);
      worst = std::max(worst, (y - formula).abs().max().item<double>());
      lowest = std::min(lowest, y.min().item<double>());
      highest = std::max(highest, y.sum(1).max().item<double>());
      const Tensor sorted = normalizer->normalize(std::get<0>(x.sort(1)), 1);
      order = std::max(order, -(sorted.slice(1, 1) - sorted.slice(1, 0, -1)).min().item<double>());
    }
    evidence.at_most(Role::kCore, "largest |normalizer - x^n / (eps + sum x^n)|", worst, 0, 1e-12,
                     "n = 0.5, 1, 2, 3; 12 scores from 1e-6 to 1e3");
    evidence.at_least(Role::kCore, "smallest weight", lowest, 0, 0);
    evidence.at_most(Role::kCore, "largest sum of a row", highest, 1, 1e-12);
    evidence.at_most(Role::kCore, "largest loss of order between scores and weights", order, 0, 0);

    const Tensor small = kernels::vector_of({1e-5, 1e-5});
    evidence.equals(Role::kReading, "a distribution: sum of the weights of scores (1e-5, 1e-5), n = 3",
                    printed(small, 3).sum().item<double>(), 1, 1e-6,
                    fmt::format("eps = {:g}: what is left of 1 is eps / (eps + sum x^n)", p_.epsilon));
    const Tensor below = kernels::vector_of({0.5, 0.25});
    evidence.at_least(Role::kReading, "sharpness: largest weight of scores (1/2, 1/4) at n = 64, over that at n = 2",
                      printed(below, 64).max().item<double>() / printed(below, 2).max().item<double>(), 1, 0,
                      "for scores below 1, x^n falls below eps: all weights go to 0, not to the largest score");

    const Tensor large = kernels::vector_of({1e200, 1e199});
    const double literal = printed(large, 2)[0][0].item<double>();
    const double half_square = kernels::vector_of({256}).square().item<double>(), half_largest = 65504;
    evidence.at_most(
        Role::kDetail, "\"improving numerical stability for large magnitudes\": x^2 at the score 256, against the largest FP16 number",
        half_square, half_largest, 0,
        "beyond it the formula is inf / inf, where softmax, shifted by the largest score, is finite; unshifted exp(x) overflows at 12");
    evidence.is_true(Role::kContext, "the formula is finite at scores (1e200, 1e199), n = 2", std::isfinite(literal),
                     "in double, where x^2 overflows from 1.3e154 on; in float from 1.8e19 on");
    const Tensor usual = at::softmax(large, 1);
    evidence.is_true(Role::kContext, "softmax, shifted by the largest score as usual, is finite there",
                     at::isfinite(usual).all().item<bool>());
    const auto two = squashing::make("softermax", 2);
    evidence.at_most(Role::kCorrected, "scores divided by the largest first: |weight - 100/101| at (1e200, 1e199), n = 2",
                     std::abs(two->normalize(large, 1)[0][0].item<double>() - 100.0 / 101), 0, 1e-12, "the registry's softermax");
    const Tensor usual_in_half = at::softmax(kernels::vector_of({256, 255}), 1);
    evidence.set("square", fmt::format("{:.0f}", half_square));
    evidence.set("largest", fmt::format("{:.0f}", half_largest));
    evidence.set("first", usual_in_half[0][0].item<double>());
    evidence.set("second", usual_in_half[0][1].item<double>());
  }

 private:
  Tensor printed(const Tensor& x, double power) const {
    const Tensor p = x.pow(power);
    return p / (p_.epsilon + p.sum(1, true));
  }

  Params p_;
};

YATLAB_REGISTER(Claim, SoftermaxDefinition, "def:softermax");

}  // namespace
}  // namespace yatlab
