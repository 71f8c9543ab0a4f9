#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/quadrature/ooura_fourier_integrals.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/measure/claim.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// Bochner's theorem: x, y -> k(x - y) is positive definite if and only if k's Fourier transform is non-negative.
class Bochner final : public Claim {
 public:
  struct Params {
    double lowest = 0;
    static void declare(Fields& f, Params& p) {
      f.field("lowest", p.lowest, "lowest spectral density, as a share of its peak, for which k is still positive definite");
    }
  };
  explicit Bochner(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    struct Case {
      std::string name;
      std::function<double(double)> k;
      bool compact;  // zero beyond |x| = 1
    };
    const std::vector<Case> cases = {
        {"exp(-x^2/2)", [](double x) { return std::exp(-0.5 * x * x); }, false},
        {"exp(-|x|)", [](double x) { return std::exp(-std::abs(x)); }, false},
        {"1/(1 + x^2)", [](double x) { return 1 / (1 + x * x); }, false},
        {"max(0, 1 - |x|)", [](double x) { return std::max(0.0, 1 - std::abs(x)); }, true},
        {"max(0, 1 - x^2)", [](double x) { return std::max(0.0, 1 - x * x); }, true},
        {"(1 - x^2) exp(-x^2/4)", [](double x) { return (1 - x * x) * std::exp(-0.25 * x * x); }, false},
    };
    boost::math::quadrature::ooura_fourier_cos<double> cosine;
    const auto size = context.scaled(120, 30);
    std::int64_t disagreements = 0;
    std::string where;
    for (const auto& c : cases) {
      double lowest = 0, peak = 0;
      for (int i = 1; i <= 60; ++i) {
        const double frequency = 0.25 * i;
        const double transform = c.compact ? boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
                                                 [&](double x) { return c.k(x) * std::cos(frequency * x); }, 0.0, 1.0, 6, 1e-12)
                                           : cosine.integrate(c.k, frequency).first;
        lowest = std::min(lowest, transform);
        peak = std::max(peak, std::abs(transform));
      }
      double share = 1;
      for (const double spacing : {0.05, 0.2, 0.5, 1.0}) {
        const Tensor t = at::arange(size, at::kDouble) * spacing;
        Tensor k = (t.unsqueeze(1) - t.unsqueeze(0)).contiguous();
        double* p = k.data_ptr<double>();
        for (std::int64_t i = 0; i < k.numel(); ++i) p[i] = c.k(p[i]);
        share = std::min(share, smallest_share(k).item<double>());
      }
      const bool spectral = lowest >= (p_.lowest - 1e-7) * peak, definite = share >= -share_rounding(size, 64);
      if (spectral != definite) {
        ++disagreements;
        where += c.name + " ";
      }
      evidence.note(c.name + ": lowest spectral density / peak", lowest / peak,
                    std::string("Toeplitz matrices ") + (definite ? "positive semi-definite" : "indefinite"));
    }
    evidence.equals(Role::kCore, "functions where the sign of the spectrum and of the eigenvalues disagree",
                    static_cast<double>(disagreements), 0, 0, where.empty() ? "six functions, four of them positive definite" : where);
    evidence.equals(Role::kContext, "k itself \"translation-invariant\": |k(x + 1) - k(x)| at x = 0 for k = exp(-x^2/2)",
                    1 - std::exp(-0.5), 0, 1e-12, "a translation-invariant function of one argument is constant");
    const auto op = context.op.with_epsilon(1);
    evidence.note("E(x + c, w + c) - E(x, w) for x = w = (1, 0), c = (1, 0), eps = 1: the theorem says nothing about E itself",
                  score(*op, vector_of({2, 0}), vector_of({2, 0})) - score(*op, vector_of({1, 0}), vector_of({1, 0})));
    evidence.set("at_0", 1.0);
    evidence.set("at_1", std::exp(-0.5));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, Bochner, "thm:bochner");

}  // namespace
}  // namespace yatlab
