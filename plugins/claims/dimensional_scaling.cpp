#include "core/verdict/statistics.h"
#include "plugins/claims/geometry.h"

namespace yatlab {
namespace {

using namespace claims;

struct Law {
  const char* name;
  Tensor (*draw)(at::IntArrayRef, at::Generator&);  // mean 0, variance 1
};

/// In the order used by the tests: the first three are sub-Gaussian, the Laplace law is not.
const std::vector<Law>& laws() {
  static const std::vector<Law> all{
      {"Gaussian", [](at::IntArrayRef s, at::Generator& g) { return normal(s, g); }},
      {"uniform", [](at::IntArrayRef s, at::Generator& g) { return (2 * uniform(s, g) - 1) * std::sqrt(3.0); }},
      {"Rademacher", [](at::IntArrayRef s, at::Generator& g) { return (uniform(s, g) < 0.5).to(at::kDouble) * 2 - 1; }},
      {"Laplace", [](at::IntArrayRef s, at::Generator& g) {
         const Tensor u = uniform(s, g) - 0.5;
         return -u.sign() * at::log1p(-2 * u.abs().clamp_max(0.5 - 1e-16)) / std::sqrt(2.0);
       }}};
  return all;
}

class DimensionalScaling final : public Claim {
 public:
  struct Params {
    double exponent = 0;
    static void declare(Fields& f, Params& p) { f.field("exponent", p.exponent, "exponent of d in O(d^exponent), as printed"); }
  };
  explicit DimensionalScaling(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    const auto op = c.op.make();
    auto g = generator(c.seed);
    std::vector<std::int64_t> dims;
    const std::int64_t last = c.effort >= 0.5 ? 16384 : 4096;
    for (std::int64_t d = 4; d <= last; d *= 4) dims.push_back(d);
    double worst_exponent = -1e300, worst_limit = 0, noise = 0;
    std::string where, where_limit;
    double done = 0;
    for (const double sigma : {0.5, 1.0}) {
      for (const auto& law : laws()) {
        std::vector<double> ds, means;
        for (const std::int64_t d : dims) {
          // All pairs of this many x and w. Given x the mean hardly depends on it, so they count as nearly independent.
          const std::int64_t side = c.scaled(400, 120);
          const Tensor s = op->scores(sigma * law.draw({side, d}, g), sigma * law.draw({side, d}, g)).abs();
          const double mean = s.mean().item<double>();
          const double error = s.std().item<double>() / static_cast<double>(side);
          if (d >= 64) {
            ds.push_back(static_cast<double>(d));
            means.push_back(mean);
            noise = std::max(noise, error / mean);
          }
          if (d == dims.back()) {
            const double z = std::abs(mean - sigma * sigma / 2) / (error + 0.01 * sigma * sigma);
            if (!(z <= worst_limit)) {
              worst_limit = z;
              where_limit = fmt::format("{}, sigma = {:g}, d = {}: mean {:.4f} +- {:.4f}", law.name, sigma, d, mean, error);
            }
          }
          if (sigma == 1 && d == 4) e.note(fmt::format("mean of E at d = 4, {}", law.name), mean, fmt::format("{} pairs", side * side));
          c.tick(++done / (8.0 * static_cast<double>(dims.size()) + 1), "averaging over random pairs");
        }
        const double slope = fit_power_law(ds, means).slope;
        if (!(slope <= worst_exponent)) {
          worst_exponent = slope;
          where = fmt::format("{}, sigma = {:g}, d = 64..{}: mean {:.4g} -> {:.4g}", law.name, sigma, last, means.front(), means.back());
        }
      }
    }
    // Tolerance: 2 %, and four standard errors of the means at either end of the fit.
    e.at_most(Role::kCore, "largest fitted exponent of the mean of |E| in d", worst_exponent, p_.exponent,
              0.02 + 8 * noise / std::log(static_cast<double>(last) / 64), where);
    e.at_most(Role::kCorrected, "largest distance of the mean from sigma^2/2, in standard errors + 1 %", worst_limit, 0, 5, where_limit);

    const double d = static_cast<double>(last);
    const Tensor w = normal({200, last}, g), other = normal({200, last}, g);
    e.note("mean of E with correlation 0.5 between x and w, over d",
           paired(*op, 0.5 * w + std::sqrt(0.75) * other, w).mean().item<double>() / d);
    const double unequal = paired(*op, normal({20000, 1024}, g), 0.5 * normal({20000, 1024}, g)).mean().item<double>();
    e.equals(Role::kCorrected, "mean of E for sigma_x = 1, sigma_w = 1/2, against 1/4 / (1 + 1/4)", unequal, 0.2, 0.02,
             "d = 1024, 20000 pairs");
    e.note("mean of E with weights of variance 1/d, times d", paired(*op, other, w / std::sqrt(d)).mean().item<double>() * d);
    e.set("last", last);
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, DimensionalScaling, "cor:dimensional-scaling");

}  // namespace
}  // namespace yatlab
