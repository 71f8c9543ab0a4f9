#pragma once

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/measure/claim.h"
#include "core/ops/search.h"

/// Shared by the claims about the product's calculus and geometry. All tensors are double; "paired" functions combine row r of x with row r of w: [R,
/// d], [R, d] -> [R].
namespace yatlab::claims {

using at::Tensor;

inline at::Generator generator(std::uint64_t seed) { return at::make_generator<at::CPUGeneratorImpl>(seed); }

inline Tensor normal(at::IntArrayRef sizes, at::Generator& g) { return at::randn(sizes, g, at::kDouble); }
inline Tensor uniform(at::IntArrayRef sizes, at::Generator& g) { return at::rand(sizes, g, at::kDouble); }

/// [...]: Euclidean norms of the last dimension.
inline Tensor norms(const Tensor& x) { return x.square().sum(-1).sqrt(); }
inline Tensor unit(const Tensor& x) { return x / x.square().sum(-1, true).sqrt().clamp_min(1e-300); }
inline Tensor directions(std::int64_t rows, std::int64_t d, at::Generator& g) { return unit(normal({rows, d}, g)); }

/// Projects vectors (last dimension) outside the ball onto its surface.
inline Tensor onto_ball(const Tensor& x, double radius = 1) { return x * (radius / x.square().sum(-1, true).sqrt().clamp_min(radius)); }

inline Tensor row(const std::vector<double>& values) {
  return at::tensor(values, at::kDouble).view({1, static_cast<std::int64_t>(values.size())});
}

/// "(1, -0.5)"
inline std::string text(const Tensor& vector) {
  const Tensor v = vector.detach().reshape({-1}).contiguous();
  std::string out = "(";
  for (std::int64_t i = 0; i < v.numel(); ++i) {
    if (i == 6) return out + ", ...)";
    out += fmt::format("{}{:.4g}", i ? ", " : "", v.data_ptr<double>()[i]);
  }
  return out + ")";
}

inline std::vector<double> numbers(const Tensor& t) {
  const Tensor v = t.detach().reshape({-1}).contiguous();
  return {v.data_ptr<double>(), v.data_ptr<double>() + v.numel()};
}

/// E(w_r, x_r) for the operator under test.
inline Tensor paired(const Operator& op, const Tensor& x, const Tensor& w) {
  return op.scores(x.unsqueeze(1), w.unsqueeze(1), {}).reshape({-1});
}
inline double score(const Operator& op, const std::vector<double>& x, const std::vector<double>& w) {
  return paired(op, row(x), row(w)).item<double>();
}

/// The paper's formula, with x - w computed directly (no cancellation).
inline Tensor printed_product(const Tensor& x, const Tensor& w, double epsilon) {
  return (x * w).sum(-1).square() / ((x - w).square().sum(-1) + epsilon);
}

/// The gradient of theorem thm:gradient with respect to its first argument, 2s/D (w - sign s (x - w)/D): sign = 1 as in the theorem, sign = -1 as
/// printed in prop:prototype-gradient. [R, d]
inline Tensor printed_gradient(const Tensor& x, const Tensor& w, double epsilon, double sign = 1) {
  const Tensor s = (x * w).sum(-1, true), q = s / ((x - w).square().sum(-1, true) + epsilon);
  return 2 * q * (w - sign * q * (x - w));
}

/// d paired / d x [R, d] by autograd; differentiable itself where x requires gradients.
inline Tensor gradient(const Operator& op, const Tensor& x, const Tensor& w) {
  at::AutoGradMode on(true);
  const bool again = x.requires_grad() || w.requires_grad();
  const Tensor at = x.requires_grad() ? x : x.detach().requires_grad_(true);
  return torch::autograd::grad({paired(op, at, w).sum()}, {at}, {}, again, again)[0];
}
/// The same with respect to w.
inline Tensor gradient_in_w(const Operator& op, const Tensor& x, const Tensor& w) {
  at::AutoGradMode on(true);
  const bool again = x.requires_grad() || w.requires_grad();
  const Tensor at = w.requires_grad() ? w : w.detach().requires_grad_(true);
  return torch::autograd::grad({paired(op, x, at).sum()}, {at}, {}, again, again)[0];
}

/// The paper's Lipschitz constant of E(w, .) on the unit ball for |w| <= 1 (prop:lipschitz).
inline double printed_lipschitz(double epsilon) { return 2 / epsilon + 4 / (epsilon * epsilon); }

/// A bound of the same form with the right power of epsilon: |s| <= 1 gives |grad| <= 2/D + 2r/D^2 with D = r^2 + epsilon, and 2r/D^2 is largest at
/// r^2 = epsilon/3.
inline double sharper_lipschitz(double epsilon) { return 2 / epsilon + 3 * std::sqrt(3.0) / 8 * std::pow(epsilon, -1.5); }

/// The smallest Lipschitz constant itself. The gradient is largest on the ray x = (1 - r) w with |w| = 1, where it is 2 (1 - r)(r + epsilon) / (r^2 +
/// epsilon)^2: at r = 0 (so 2/epsilon) when epsilon >= 1, else at the root in (0, 1/2) of 2r^3 - 3(1 - epsilon)r^2 - 6 epsilon r + epsilon(1 -
/// epsilon).
inline double true_lipschitz(double epsilon) {
  if (epsilon >= 1) return 2 / epsilon;
  double low = 0, high = 0.5;  // the polynomial is positive at 0 and negative at 1/2
  for (int i = 0; i < 200; ++i) {
    const double r = 0.5 * (low + high);
    const double p = ((2 * r - 3 * (1 - epsilon)) * r - 6 * epsilon) * r + epsilon * (1 - epsilon);
    (p > 0 ? low : high) = r;
  }
  const double r = 0.5 * (low + high), D = r * r + epsilon;
  return 2 * (1 - r) * (r + epsilon) / (D * D);
}

/// The largest value over all x of E(w, x): at x = (1 + epsilon/|w|^2) w. The argument is |w|^2.
inline double true_maximum(double w_squared, double epsilon) { return w_squared * w_squared / epsilon + w_squared; }

/// Search options whose length scales with the context's effort.
inline SearchOptions search_options(const ClaimContext& context, std::int64_t steps = 200) {
  SearchOptions o;
  o.steps = context.scaled(steps, 30);
  o.refinements = context.scaled(200, 25);
  o.seed = context.seed;
  return o;
}

}  // namespace yatlab::claims
