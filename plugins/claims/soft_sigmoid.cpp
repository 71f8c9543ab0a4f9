#include <algorithm>
#include <cmath>

#include "core/measure/claim.h"
#include "core/verdict/statistics.h"
#include "plugins/claims/squashing.h"

namespace yatlab {
namespace {

using namespace claims;

/// Soft-sigmoid: formula, range, monotonicity, polynomial saturation.
class SoftSigmoidDefinition final : public Claim {
 public:
  struct Params {
    std::string normalizer = "soft_sigmoid";
    double tail = 1;
    static void declare(Fields& f, Params& p) {
      f.field("normalizer", p.normalizer, "registered normalizer to compare with the definition");
      f.field("tail", p.tail, "r: 1 - sigma falls like x^(-r n), polynomial saturation").positive();
    }
  };
  explicit SoftSigmoidDefinition(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const Tensor x = squashing::ladder(context.scaled(5000, 200));
    double worst = 0, lowest = 1, highest = 0, drop = 0, tail = 0, at_zero = 0;
    for (const double power : squashing::kPowers) {
      const auto normalizer = squashing::make(p_.normalizer, power);
      const Tensor y = normalizer->normalize(x, 0), p = x.pow(power);
      worst = std::max(worst, (y - p / (1 + p)).abs().max().item<double>());
      lowest = std::min(lowest, y.min().item<double>());
      highest = std::max(highest, y.max().item<double>());
      drop = std::max(drop, -(y.slice(0, 1) - y.slice(0, 0, -1)).min().item<double>());
      at_zero = std::max(at_zero, std::abs(y[0].item<double>()));
      std::vector<double> far, rest;
      for (const double v : {1e2, 3e2, 1e3, 3e3}) {
        far.push_back(v);
        const Tensor one = normalizer->normalize(at::full({1}, v, at::kDouble), 0);
        rest.push_back(std::max(1 - one.item<double>(), 1e-300));
      }
      tail = std::max(tail, std::abs(fit_power_law(far, rest).slope + p_.tail * power));
    }
    evidence.at_most(Role::kCore, "largest |normalizer - x^n / (1 + x^n)|", worst, 0, 1e-14, "x = 0 and 1e-6..1e6, n = 0.5, 1, 2, 3");
    evidence.at_least(Role::kCore, "smallest value", lowest, 0, 0);
    evidence.at_most(Role::kCore, "largest value", highest, 1, 0, "1 itself is reached only by rounding, from x^n = 2^53 on");
    evidence.at_most(Role::kCore, "largest fall between ascending scores", drop, 0, 0, "monotone");
    evidence.equals(Role::kCore, "value at 0", at_zero, 0, 0);
    evidence.at_most(Role::kDetail, "polynomial saturation: largest |power of 1 - sigma + n|", tail, 0, 0.1, "x = 100..3000");
    const double literal = std::pow(1e200, 2) / (1 + std::pow(1e200, 2));
    evidence.note("the formula as printed at x = 1e200, n = 2, in double", literal, "inf / inf; the registry folds x to 1/x first");
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, SoftSigmoidDefinition, "def:soft-sigmoid");

}  // namespace
}  // namespace yatlab
