#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "core/verdict/statistics.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// "This O(1) scaling directly counters high-dimensional saturation concerns that arise for RBF kernels, whose values
/// vanish exponentially with dimension."
class RbfSaturation final : public Claim {
 public:
  struct Params {
    double exponent = 0;
    static void declare(Fields& f, Params& p) {
      f.field("exponent", p.exponent, "power of d with which the kernel's mean grows, as printed: O(1)");
    }
  };
  explicit RbfSaturation(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const double epsilon = 1;
    const auto op = context.op.with_epsilon(epsilon);
    auto g = generator_of(context.seed);
    const std::int64_t pairs = context.scaled(20000, 2000);
    std::vector<double> dims, mean_kernel, log_fixed, wide, normalised;
    for (const std::int64_t d : {8, 16, 32, 64, 128, 256, 512, 1024}) {
      context.tick(static_cast<double>(d) / 1024, fmt::format("d = {}", d));
      const std::int64_t chunk = std::min<std::int64_t>(pairs, 500);
      double kernel = 0, scaled = 0, ratio = 0;
      std::int64_t done = 0;
      double log_mean = -std::numeric_limits<double>::infinity();
      for (; done < pairs; done += chunk) {
        const Tensor x = normals({chunk, d}, g), w = normals({chunk, d}, g);
        const Tensor xs = x.unsqueeze(1), ws = w.unsqueeze(1);
        const Tensor k = op->scores(xs, ws).view({chunk});
        const Tensor self = (op->scores(xs, xs) * op->scores(ws, ws)).view({chunk}).abs().sqrt();
        const Tensor apart = (x - w).square().sum(1);
        kernel += k.sum().item<double>();
        ratio += (k / self).sum().item<double>();
        scaled += (-apart / (2 * static_cast<double>(d))).exp().sum().item<double>();
        const double part = (-apart / 2).logsumexp(0).item<double>();
        log_mean = std::max(log_mean, part) + std::log1p(std::exp(-std::abs(log_mean - part)));
      }
      const double count = static_cast<double>(done);
      dims.push_back(static_cast<double>(d));
      mean_kernel.push_back(std::abs(kernel / count));
      wide.push_back(scaled / count);
      normalised.push_back(std::abs(ratio / count));
      log_fixed.push_back(log_mean - std::log(count));
    }
    const std::string where = fmt::format("{} pairs each, d = 8..1024, eps = {:g}", pairs, epsilon);
    evidence.equals(Role::kCore, "power of d in the kernel's mean", fit_power_law(dims, mean_kernel).slope, p_.exponent, 0.1, where);
    const LineFit fixed = fit_line(dims, log_fixed);
    evidence.at_least(Role::kCore, "Gaussian kernel of width 1: r^2 of log mean against d (exponential)", fixed.r2, 0.99, 0,
                      fmt::format("rate {:.3f} per dimension; {}", -fixed.slope, where));
    evidence.at_most(Role::kCore, "the same: slope of log mean in d", fixed.slope, -0.5, 0,
                     "typical values vanish like e^-d, the mean like 3^(-d/2)");
    evidence.at_most(Role::kReading, "Gaussian kernel of width sqrt(d), as the median rule sets it: power of d in its mean, vanishing too",
                     fit_power_law(dims, wide).slope, -0.5, 0, "it is O(1): the exponential loss is the fixed width's");
    evidence.at_least(Role::kReading, "power of d in the kernel over its self-similarities: does not saturate",
                      fit_power_law(dims, normalised).slope, p_.exponent, 0.1,
                      "E(x, w) / sqrt(E(x, x) E(w, w)); self-similarity is |x|^4/eps, about d^2/eps");
    evidence.note("the kernel over its self-similarities at d = 1024, mean", normalised.back(), where);
    evidence.note("Gaussian kernel of width sqrt(d) at d = 1024, mean", wide.back(), "a Gaussian's self-similarity is 1");
    evidence.set("where", where);
    evidence.set("kernel", mean_kernel.back());
    evidence.set("normalised", normalised.back());
    evidence.set("wide", wide.back());
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, RbfSaturation, "claim:rbf-saturation");

}  // namespace
}  // namespace yatlab
