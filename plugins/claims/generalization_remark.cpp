#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "core/measure/claim.h"
#include "core/verdict/statistics.h"
#include "plugins/claims/generalization.h"

namespace yatlab {
namespace {

using namespace claims;

/// The remark after thm:rkhs-embedding: a rate of generalization, and a tangent kernel that vanishes for orthogonal inputs.
class GeneralizationRemark final : public Claim {
 public:
  struct Params {
    double orthogonal_value = 0;
    static void declare(Fields& f, Params& p) {
      f.field("orthogonal_value", p.orthogonal_value, "tangent kernel at 90 degrees divided by its value at 0 degrees, as printed");
    }
  };
  explicit GeneralizationRemark(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    rate(context, evidence);
    context.tick(0.6, "tangent kernel");
    tangent_kernel(context, evidence);
  }

 private:
  static void rate(const ClaimContext& context, Evidence& evidence) {
    auto g = kernels::generator_of(context.seed);
    ridge::Problem problem;
    problem.op = context.op.with_epsilon(1);
    problem.noise = 0.1;
    problem.centres = problem.sample(5, g);
    problem.coefficients = kernels::normals({5, 1}, g);
    std::vector<double> sizes, errors;
    double empty = 0, largest_ratio = 0;
    const auto largest = context.scaled(400, 100), designs = context.scaled(20, 3);
    for (std::int64_t n = 12; n <= largest; n *= 2) {
      const double lambda = 1 / std::sqrt(static_cast<double>(n));
      sizes.push_back(static_cast<double>(n));
      errors.push_back(ridge::error(problem, n, lambda, designs, g));
      largest_ratio = std::max(largest_ratio, errors.back() * std::sqrt(sizes.back()) / problem.norm2());
      ridge::Problem zero = problem;
      zero.centres = Tensor();
      empty = std::max(empty, ridge::error(zero, n, lambda, 2, g));
      context.tick(0.6 * static_cast<double>(n) / static_cast<double>(largest), fmt::format("ridge regression, n = {}", n));
    }
    evidence.at_most(
        Role::kCore, "largest error sqrt(n) / |f*|^2, lambda = n^(-1/2)", largest_ratio, 2, 0,
        fmt::format("n = 12..{:g}, disc, eps = 1, target of 5 sections, noise +-0.1; 2 is the printed bound's constant", sizes.back()));
    evidence.note("power of n in this error", fit_power_law(sizes, errors).slope, "at these n the bias dominates");
    evidence.set("empty", empty);
    evidence.at_most(Role::kDetail, "error for f* = 0, where |f*|^2 / sqrt(n) is 0", empty, 0, 1e-9, "noise +-0.1: the noise counts too");
  }

  void tangent_kernel(const ClaimContext& context, Evidence& evidence) const {
    auto g = kernels::generator_of(context.seed + 1);
    const auto op = context.op.with_epsilon(1);
    for (const std::int64_t d : {2, 16, 512}) {
      const Tensor x = at::zeros({2, d}, at::kDouble);  // orthogonal, |x|^2 = d
      x[0][0] = x[1][1] = std::sqrt(static_cast<double>(d));
      const std::int64_t block = 2000, blocks = context.scaled(d == 512 ? 20 : 40, 3);
      std::vector<Tensor> across, aligned;
      for (std::int64_t i = 0; i < blocks; ++i) {
        const Tensor w = kernels::normals({block, d}, g).requires_grad_(true);
        const Tensor scores = op->scores(x, w);  // [2, block]
        Tensor slopes[2];
        for (int row = 0; row < 2; ++row) {
          slopes[row] = torch::autograd::grad({scores[row].sum()}, {w}, {}, true, false, true)[0];
          if (!slopes[row].defined()) slopes[row] = at::zeros_like(w);
        }
        const Tensor s = scores.detach();
        across.push_back(s[0] * s[1] + (slopes[0] * slopes[1]).sum(1));
        aligned.push_back(0.5 * (s.square().sum(0) + slopes[0].square().sum(1) + slopes[1].square().sum(1)));
        context.tick(0.6 + 0.4 * static_cast<double>(i) / static_cast<double>(blocks), fmt::format("tangent kernel, d = {}", d));
      }
      const Tensor all = at::cat(across);
      const double scale = at::cat(aligned).mean().item<double>(), share = all.mean().item<double>() / scale;
      const double error = 3 * all.std().item<double>() / std::sqrt(static_cast<double>(all.numel())) / std::abs(scale);
      const auto where = fmt::format("|x|^2 = d, w ~ N(0, I), eps = 1, {} samples, +- {:.2g}", all.numel(), error);
      if (d < 512) {
        evidence.note(fmt::format("tangent kernel at right angles / aligned, d = {}", d), share, where);
      } else {
        evidence.set("share", share);
        evidence.equals(Role::kCore, "tangent kernel at right angles / aligned, d = 512", share, p_.orthogonal_value, 0.02 + error, where);
        evidence.equals(Role::kCorrected, "the same against 1/7", share, 1.0 / 7, 0.02 + error, where);
      }
    }
  }

  Params p_;
};

YATLAB_REGISTER(Claim, GeneralizationRemark, "rem:generalization");

}  // namespace
}  // namespace yatlab
