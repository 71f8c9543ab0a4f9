#include "core/verdict/statistics.h"
#include "plugins/claims/geometry.h"

namespace yatlab {
namespace {

using namespace claims;

/// Chebyshev coefficients of functions from their values at cos(pi (j + 1/2)/N): [N, R] -> [N, R].
Tensor chebyshev(const Tensor& values) {
  const std::int64_t n = values.size(0);
  const Tensor j = at::arange(n, at::kDouble);
  const Tensor basis = (j.view({n, 1}) * (j.view({1, n}) + 0.5) * (M_PI / static_cast<double>(n))).cos();
  Tensor c = at::matmul(basis, values) * (2.0 / static_cast<double>(n));
  c[0] *= 0.5;
  return c;
}

class Analyticity final : public Claim {
 public:
  struct Params {
    double radius = 1;
    static void declare(Fields& f, Params& p) {
      f.field("radius", p.radius,
              "claimed radius of convergence around points of a line, in units of √(r² + ε), r the line's distance from w")
          .positive();
    }
  };
  explicit Analyticity(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    constexpr std::int64_t kNodes = 128;
    auto g = generator(c.seed);
    double slowest = 1e300, largest_tail = 0, fastest = 0;
    std::string where, where_tail;
    double done = 0;
    for (const double epsilon : {1e-5, 1e-3, 0.1, 1.0, 10.0}) {
      const auto op = c.op.with_epsilon(epsilon);
      for (const std::int64_t d : {2, 5, 32}) {
        const std::int64_t n = c.scaled(64, 8);
        const Tensor w = directions(n, d, g), v = directions(n, d, g);
        // Lines through w or up to a few sqrt(epsilon) beside it; every eighth line passes through 0 as well (v = w).
        Tensor direction = v.clone(), beside = directions(n, d, g);
        for (std::int64_t r = 0; r < n; r += 8) direction[r].copy_(w[r]);
        beside = beside - (beside * direction).sum(-1, true) * direction;
        const double root = std::sqrt(epsilon);
        Tensor aside = root * uniform({n, 1}, g) * beside;
        for (std::int64_t r = 0; r < n; r += 2) aside[r].zero_();
        const double half = 2 * root;  // of the segment's length
        const Tensor nodes = ((at::arange(kNodes, at::kDouble) + 0.5) * (M_PI / kNodes)).cos();
        const Tensor points = (w + aside).unsqueeze(0) + half * nodes.view({-1, 1, 1}) * direction.unsqueeze(0);
        const Tensor values = paired(*op, points.reshape({-1, d}), w.expand({kNodes, n, d}).reshape({-1, d})).view({kNodes, n});
        const Tensor coefficients = chebyshev(values).abs() / values.abs().amax(at::IntArrayRef{0}, true).clamp_min(1e-300);
        const Tensor r = norms(aside);
        for (std::int64_t line = 0; line < n; ++line) {
          // Poles at +- i b of the segment [-1, 1]: coefficients decay like rho^-n, rho = b + sqrt(b^2 + 1).
          const double b = p_.radius * std::sqrt(r[line].item<double>() * r[line].item<double>() + epsilon) / half;
          const double rho = b + std::sqrt(b * b + 1);
          const auto column = numbers(coefficients.select(1, line));
          std::vector<double> index, logs;
          double tail = 0;
          for (std::size_t i = 2; i + 1 < column.size(); i += 2) {
            const double size = std::max(column[i], column[i + 1]);
            if (static_cast<double>(i) * std::log(rho) > std::log(1e11)) tail = std::max(tail, size);  // rounding, if analytic
            if (size > 1e-11 && tail == 0) {
              index.push_back(static_cast<double>(i));
              logs.push_back(std::log(size));
            }
          }
          if (!(tail <= largest_tail)) {
            largest_tail = tail;
            where_tail = fmt::format("d = {}, eps = {:g}, line {:.2g} sqrt(eps) from w", d, epsilon, r[line].item<double>() / root);
          }
          if (index.size() < 6) continue;
          const double rate = -fit_line(index, logs).slope / std::log(rho);
          if (rate < slowest) {
            slowest = rate;
            where = fmt::format("d = {}, eps = {:g}, line {:.2g} sqrt(eps) from w", d, epsilon, r[line].item<double>() / root);
          }
          fastest = std::max(fastest, rate);
        }
        c.tick(++done / 16, "expanding along lines");
      }
    }
    e.at_most(Role::kCore, "largest relative Chebyshev coefficient where analyticity leaves less than 1e-11", largest_tail, 0, 1e-8,
              where_tail);
    if (slowest < 1e300) {
      e.note("slowest measured rate of decay over the rate of the nearest pole", slowest, where);
      e.note("fastest", fastest);
    }
    e.set("segments", c.scaled(64, 8));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, Analyticity, "lem:analyticity");

}  // namespace
}  // namespace yatlab
