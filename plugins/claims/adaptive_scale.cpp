#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "core/ops/nmn.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// s = (n / log(1 + n))^alpha, learnable alpha from 1.
class AdaptiveScale final : public Claim {
 public:
  struct Params {
    double alpha = 1;
    double mnist_alpha = 2.68;
    static void declare(Fields& f, Params& p) {
      f.field("alpha", p.alpha, "initial alpha, as printed");
      f.field("mnist_alpha", p.mnist_alpha, "alpha after training on MNIST, as printed");
    }
  };
  explicit AdaptiveScale(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const std::shared_ptr<Operator> op = context.op.with_epsilon(1e-2);
    double gap = 0, slope_gap = 0;
    for (const std::int64_t n : {1, 2, 10, 784, 3072, 50257}) {
      for (const double alpha : {p_.alpha, 0.0, 0.5, p_.mnist_alpha}) {
        Nmn layer(op, options(n, alpha));
        const Tensor s = layer.factor();
        s.backward();
        const double size = static_cast<double>(n), base = size / std::log1p(size), exact = std::pow(base, alpha);
        gap = std::max(gap, std::abs(s.item<double>() / exact - 1));
        slope_gap = std::max(slope_gap, std::abs(layer.alpha.grad().item<double>() - exact * std::log(base)) / exact);
      }
    }
    const std::string where = "n = 1..50257, alpha = 0..2.68";
    evidence.at_most(Role::kCore, "factor against (n / ln(1 + n))^alpha: largest relative difference", gap, 0, 1e-4, where);
    evidence.at_most(Role::kCore, "its derivative in alpha against s ln(n / ln(1 + n)), relative to s", slope_gap, 0, 1e-4, where);
    evidence.equals(Role::kCore, "alpha at the start", Nmn(op, options(10, p_.alpha)).alpha.item<double>(), 1, 0);
    sizes(context, evidence);
    const double base = 10 / std::log(11.0);
    evidence.note("MNIST, n = 10: s at the start", base);
    evidence.note("MNIST, n = 10: s at the printed final alpha", std::pow(base, p_.mnist_alpha));
    evidence.note("GPT-2's MLP, n = 3072: s at the start", 3072 / std::log(3073.0));
    evidence.note("n = 10 with log to base 10 instead: s", 10 / std::log10(11.0), "the paper does not say which logarithm");
    evidence.set("where", where);
  }

 private:
  static NmnOptions options(std::int64_t n, double alpha) {
    NmnOptions o;
    o.inputs = 1;
    o.units = n;
    o.scale.scale = ScaleKind::kNOverLog;
    o.scale.alpha_init = alpha;
    return o;
  }

  /// "the self-regulation property provides intrinsic normalization, making explicit normalization redundant"
  void sizes(const ClaimContext& context, Evidence& evidence) const {
    const auto op = context.op.with_epsilon(1);
    auto g = generator_of(context.seed);
    at::NoGradGuard no_grad;
    const std::int64_t d = 64;
    const Tensor x = normals({context.scaled(200, 50), d}, g).to(at::kFloat);
    double first = 0, last = 0, bare_first = 0, bare_last = 0;
    for (const std::int64_t n : {16, 256, 4096}) {
      Nmn layer(op, options(n, p_.alpha));
      layer.weight = normals({n, d}, g).to(at::kFloat);
      const double mean = layer.forward(x).mean().item<double>(), bare = op->scores(x, layer.weight).mean().item<double>();
      evidence.note(fmt::format("mean output at the start, n = {}", n), mean,
                    fmt::format("d = {}, unit Gaussians; without s {:.3f}", d, bare));
      if (n == 16) first = mean, bare_first = bare;
      last = mean, bare_last = bare;
      if (n == 4096) {
        evidence.set("units", n);
        evidence.set("scale", layer.factor().item<double>());
      }
    }
    evidence.set("bare", bare_last);
    evidence.set("output", last);
    evidence.set("few", 16);
    evidence.set("few_output", first);
    evidence.at_most(Role::kReading, "mean output at n = 4096 / at n = 16: normalised whatever the width", last / first, 2, 0, "with s");
    evidence.at_most(Role::kCorrected, "the same without s", bare_last / bare_first, 2, 0, "the kernel alone");
  }

  Params p_;
};

YATLAB_REGISTER(Claim, AdaptiveScale, "claim:adaptive-scale");

}  // namespace
}  // namespace yatlab
