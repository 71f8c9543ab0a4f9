#pragma once

#include "plugins/claims/geometry.h"

namespace yatlab::claims {

/// (E(w_i, x) - E(w_j, x)) D_i D_j with D = |w - x|^2 + epsilon: the cross-multiplied form of the decision boundary. [R]
inline Tensor boundary_polynomial(const Operator& op, const Tensor& x, const Tensor& wi, const Tensor& wj, double epsilon) {
  const Tensor Di = (wi - x).square().sum(-1) + epsilon, Dj = (wj - x).square().sum(-1) + epsilon;
  return (paired(op, x, wi) - paired(op, x, wj)) * Di * Dj;
}

/// Its gradient with respect to x. [R, d]
inline Tensor boundary_gradient(const Operator& op, const Tensor& x, const Tensor& wi, const Tensor& wj, double epsilon) {
  at::AutoGradMode on(true);
  const Tensor at = x.detach().requires_grad_(true);
  return torch::autograd::grad({boundary_polynomial(op, at, wi, wj, epsilon).sum()}, {at})[0];
}

/// E(w_i, x) - E(w_j, x) for two prototypes [1, d] and many inputs [R, d]. [R]
inline Tensor lead(const Operator& op, const Tensor& x, const Tensor& wi, const Tensor& wj) {
  const Tensor y = op.scores(x, at::cat({wi, wj}, 0), {});
  return y.select(1, 0) - y.select(1, 1);
}

/// Number of sign changes of E(w_i, .) - E(w_j, .) on a circle around the origin of the plane. A smooth curve through 0 gives 2.
inline int sign_changes(const Operator& op, const Tensor& wi, const Tensor& wj, double radius) {
  const Tensor angle = (at::arange(720, at::kDouble) + 0.37) * (2 * M_PI / 720);
  const Tensor x = radius * at::stack({angle.cos(), angle.sin()}, 1);
  const auto difference = numbers(lead(op, x, wi, wj));
  int changes = 0;
  for (std::size_t i = 0; i < difference.size(); ++i) {
    changes += (difference[i] > 0) != (difference[(i + 1) % difference.size()] > 0);
  }
  return changes;
}

/// The distance in the plane from `from` to the nearest point where E(w_j, .) >= E(w_i, .); at most 4. Searched on one ray per degree.
inline double distance_to_boundary(const Operator& op, const Tensor& from, const Tensor& wi, const Tensor& wj) {
  constexpr std::int64_t kRays = 360, kSteps = 400;
  constexpr double kFar = 4;
  const Tensor angle = at::arange(kRays, at::kDouble) * (2 * M_PI / kRays);
  const Tensor u = at::stack({angle.cos(), angle.sin()}, 1);
  const Tensor r = (at::arange(kSteps, at::kDouble) + 1) * (kFar / kSteps);
  const auto ahead = [&](const Tensor& x) { return lead(op, x.reshape({-1, 2}), wi, wj).view(x.sizes().slice(0, x.dim() - 1)); };
  const Tensor crossed = (ahead(from + r.view({1, -1, 1}) * u.unsqueeze(1)) <= 0).to(at::kDouble);  // [rays, steps]
  const Tensor any = crossed.amax(at::IntArrayRef{1}) > 0;
  const Tensor first = crossed.argmax(1).to(at::kDouble);
  Tensor low = first * (kFar / kSteps), high = (first + 1) * (kFar / kSteps);
  for (int i = 0; i < 40; ++i) {
    const Tensor middle = 0.5 * (low + high);
    const Tensor over = ahead(from + middle.unsqueeze(1) * u) <= 0;
    high = at::where(over, middle, high);
    low = at::where(over, low, middle);
  }
  return at::where(any, high, at::full_like(high, kFar)).min().item<double>();
}

}  // namespace yatlab::claims
