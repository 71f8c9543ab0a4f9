#include <algorithm>
#include <cmath>

#include "core/measure/claim.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// The density criterion, as far as it can be checked numerically: in finite dimension, in its quantitative form; and spaces for which it fails but
/// which the statement does not exclude.
class HahnBanach final : public Claim {
 public:
  struct Params {
    double exponent = 1;
    static void declare(Fields& f, Params& p) {
      f.field("exponent", p.exponent, "p of the space L^p whose functionals are examined; below 1 it is not locally convex").positive();
    }
  };
  explicit HahnBanach(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    finite(context, evidence);
    sections(context, evidence);
    // 1 on [0,1] is the mean of n functions n 1_[i/n, (i+1)/n], each of size (integral of |f|^p) = n^(p-1). If that tends to 0, a continuous
    // functional L has |L(1)| <= max |L(g_i)| -> 0, so 0 is the only one.
    const auto size = [](double p, double n) { return std::pow(n, p - 1); };
    evidence.at_least(Role::kCore, "L^p: size of the pieces, n = 10^6, of which the constant 1 is the mean", size(p_.exponent, 1e6), 1,
                      1e-9, "p = 1 as a normed space; they must not shrink, else there are no functionals");
    evidence.at_least(Role::kContext, "V any topological vector space: the same in L^(1/2)", size(0.5, 1e6), 1, 1e-9,
                      "there M = {0} is not dense, yet every continuous functional (only 0) that vanishes on M vanishes on V");
    evidence.set("size", size(0.5, 1e6));
  }

 private:
  static void finite(const ClaimContext& context, Evidence& evidence) {
    auto g = generator_of(context.seed);
    double apart = 0;
    std::int64_t wrong = 0;
    const auto trials = context.scaled(200, 20);
    for (std::int64_t i = 0; i < trials; ++i) {
      const std::int64_t n = 2 + i % 19, rank = 1 + i % n;
      const Tensor m = normals({n, rank}, g), v = normals({n, 1}, g);
      // Distance by least squares; the largest functional from the null space of m'.
      const Tensor fit = at::linalg_solve(at::matmul(m.t(), m), at::matmul(m.t(), v));
      const double distance = (v - at::matmul(m, fit)).norm().item<double>();
      const auto [values, vectors] = at::linalg_eigh(at::matmul(m, m.t()));
      const Tensor annihilator = vectors.slice(1, 0, n - rank);  // [n, n - rank]
      const double functional = at::matmul(annihilator.t(), v).norm().item<double>();
      const double condition = (values[-1] / values[n - rank]).item<double>();
      if (condition < 1e6) apart = std::max(apart, std::abs(distance - functional) / v.norm().item<double>());
      const bool dense = rank == n, empty = (values <= 1e-10 * values[-1]).sum().item<std::int64_t>() == 0;
      if (dense != empty && condition < 1e6) ++wrong;
    }
    evidence.at_most(Role::kCore, "R^n: largest |distance to M - largest functional of norm 1 vanishing on M| / |v|", apart, 0, 1e-7,
                     "n = 2..20, every codimension");
    evidence.equals(Role::kCore, "R^n: subspaces where density and the absence of functionals disagree", static_cast<double>(wrong), 0, 0);
  }

  static void sections(const ClaimContext& context, Evidence& evidence) {
    const auto op = context.op.with_epsilon(1);
    auto g = generator_of(context.seed + 1);
    const Tensor grid = at::arange(-6, 7, at::kDouble).unsqueeze(1) / 6;  // 0 is the seventh
    const Tensor w = 2 * normals({400, 1}, g), none = op->scores(grid, w);
    evidence.note("largest value at 0 of the operator's sections without bias: the functional f -> f(0) vanishes on all of them",
                  none[6].abs().max().item<double>(), "so without a bias they are not dense in C(X) if X holds 0");
    const Tensor biased = op->scores(grid, w, normals({400}, g));
    const Tensor values = eigenvalues(at::matmul(biased, biased.t()));
    evidence.note("with a bias: smallest singular value of the sections on 13 grid points / largest",
                  std::sqrt(std::max(0.0, values[0].item<double>()) / values[-1].item<double>()),
                  "no functional on the grid vanishes on them all");
  }

  Params p_;
};

YATLAB_REGISTER(Claim, HahnBanach, "thm:hahn-banach");

}  // namespace
}  // namespace yatlab
