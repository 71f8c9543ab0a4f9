#pragma once

#include "plugins/claims/geometry.h"

namespace yatlab::claims {

inline std::int64_t lipschitz_starts(const ClaimContext& context) { return context.scaled(128, 24); }

/// Pairs (x, w) in the unit ball, [R, 2, d]: half of them near the sphere and about sqrt(epsilon) apart, where the gradient is largest, the others
/// anywhere.
inline Tensor steep_starts(double epsilon, std::int64_t d, std::int64_t rows, at::Generator& g) {
  Tensor starts = onto_ball(normal({rows, 2, d}, g));
  const std::int64_t half = rows / 2;
  const Tensor w = directions(half, d, g);
  starts.narrow(0, 0, half).select(1, 1).copy_(w);
  starts.narrow(0, 0, half)
      .select(1, 0)
      .copy_(onto_ball(w * (1 - std::sqrt(epsilon) * uniform({half, 1}, g)) + 0.3 * std::sqrt(epsilon) * normal({half, d}, g)));
  return starts;
}

/// The largest |grad_x E(w, x)| over the unit ball, by search; point: [2, d], x and w.
inline SearchResult steepest(const Operator& op, double epsilon, std::int64_t d, const ClaimContext& context) {
  auto g = generator(context.seed + static_cast<std::uint64_t>(d));
  const auto slope = [&](const Tensor& p) { return norms(gradient(op, p.select(1, 0), p.select(1, 1))); };
  SearchOptions o = search_options(context, 150);
  o.step_size = 0.1 * std::min(1.0, std::sqrt(epsilon));
  return maximise(
      slope, steep_starts(epsilon, d, lipschitz_starts(context), g), [](const Tensor& p) { return onto_ball(p); }, o);
}

}  // namespace yatlab::claims
