#include <algorithm>
#include <cmath>

#include "core/measure/claim.h"
#include "plugins/claims/squashing.h"

namespace yatlab {
namespace {

using namespace claims;

/// Soft-tanh: formula, range, monotonicity, tau = 2 sigma - 1, and n as its steepness.
class SoftTanhDefinition final : public Claim {
 public:
  struct Params {
    std::string normalizer = "soft_tanh";
    double offset = 1;
    static void declare(Fields& f, Params& p) {
      f.field("normalizer", p.normalizer, "registered normalizer to compare with the definition");
      f.field("offset", p.offset, "tau = 2 sigma - offset, as printed");
    }
  };
  explicit SoftTanhDefinition(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const Tensor x = squashing::ladder(context.scaled(5000, 200));
    double worst = 0, lowest = 1, highest = -1, drop = 0, rescaled = 0, slope = 0, logarithmic = 0;
    for (const double power : squashing::kPowers) {
      const auto tau = squashing::make(p_.normalizer, power), sigma = squashing::make("soft_sigmoid", power);
      const Tensor y = tau->normalize(x, 0), p = x.pow(power);
      worst = std::max(worst, (y - (p - 1) / (p + 1)).abs().max().item<double>());
      lowest = std::min(lowest, y.min().item<double>());
      highest = std::max(highest, y.max().item<double>());
      drop = std::max(drop, -(y.slice(0, 1) - y.slice(0, 0, -1)).min().item<double>());
      rescaled = std::max(rescaled, (y - (2 * sigma->normalize(x, 0) - p_.offset)).abs().max().item<double>());
      logarithmic = std::max(logarithmic, (y - (0.5 * power * x.log()).tanh()).abs().max().item<double>());
      const double h = 1e-5;
      const Tensor around = tau->normalize(at::tensor(std::vector<double>{1 - h, 1 + h}, at::kDouble), 0);
      slope = std::max(slope, std::abs((around[1] - around[0]).item<double>() / (2 * h) - power / 2));
    }
    evidence.at_most(Role::kCore, "largest |normalizer - (x^n - 1) / (x^n + 1)|", worst, 0, 1e-14, "x = 0 and 1e-6..1e6, n = 0.5, 1, 2, 3");
    evidence.equals(Role::kCore, "smallest value, at x = 0", lowest, -1, 0, "orthogonality");
    evidence.at_most(Role::kCore, "largest value", highest, 1, 0, "1 itself is reached only by rounding");
    evidence.at_most(Role::kCore, "largest fall between ascending scores", drop, 0, 0, "monotone");
    evidence.at_most(Role::kCore, "largest |tau - (2 sigma - 1)|", rescaled, 0, 1e-14, "sigma from the registry's soft_sigmoid");
    evidence.at_most(Role::kDetail, "n as gain: largest |slope at x = 1 - n/2|", slope, 0, 1e-6);
    evidence.at_most(Role::kContext, "largest |tau - tanh(n ln(x) / 2)|", logarithmic, 0, 1e-13, "the gain is one in ln x");
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, SoftTanhDefinition, "def:soft-tanh");

}  // namespace
}  // namespace yatlab
