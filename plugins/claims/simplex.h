#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/measure/claim.h"
#include "core/ops/search.h"
#include "plugins/claims/gram.h"

/// Distributions on n outcomes, and the paper's statements about their similarity. Natural logarithms.
namespace yatlab::claims::simplex {

using at::Tensor;

/// Maps any real rows to the simplex, boundary included: z^2 / sum z^2.
inline Tensor from_free(const Tensor& z) {
  const Tensor s = z * z;
  return s / s.sum(-1, true).clamp_min(1e-300);
}

/// rows x n, each uniform on the simplex, with a share of its outcomes set to 0 (never all).
inline Tensor random(std::int64_t rows, std::int64_t n, double emptied, const at::Generator& g) {
  Tensor x = -kernels::uniforms({rows, n}, g).clamp_min(1e-300).log();
  const Tensor keep = kernels::uniforms({rows, n}, g) >= emptied;
  Tensor kept = x * keep.to(at::kDouble);
  const Tensor empty = kept.sum(-1, true) == 0;
  kept = at::where(empty, x, kept);
  return kept / kept.sum(-1, true);
}

/// -sum p ln q per row, with 0 ln 0 = 0 and infinity where p > 0 = q.
inline Tensor cross_entropy(const Tensor& p, const Tensor& q) {
  const Tensor zero = at::zeros({}, p.options());
  return at::where(p > 0, -p * q.log(), zero).sum(-1);
}
inline Tensor entropy(const Tensor& p) { return cross_entropy(p, p); }

/// sum p ln(p / q) per row, with the same conventions. Not computed as a difference of two entropies: near p = q the terms are p (u - ln(1 + u)) with
/// u = q / p - 1, which has the same sum as p and q sum to 1.
inline Tensor divergence(const Tensor& p, const Tensor& q) {
  const Tensor zero = at::zeros({}, p.options()), one = at::ones({}, p.options());
  const Tensor some = p > 0;
  const Tensor u = at::where(some, q - p, zero) / at::where(some, p, one);
  const Tensor inside = at::where(some, p * (u - u.log1p()), zero);
  return (inside + at::where(some, zero, q)).sum(-1);
}

/// Shared by thm:min-similarity and prop:simplex-extremal: E = 0 exactly on disjoint supports, and then KL = infinity.
inline void disjoint_supports(const ClaimContext& context, Evidence& evidence) {
  auto g = kernels::generator_of(context.seed);
  const auto rows = context.scaled(2000, 50);
  double at_disjoint = 0, smallest_divergence = std::numeric_limits<double>::infinity();
  double overlapping = std::numeric_limits<double>::infinity();
  for (const double epsilon : {1e-6, 1e-2, 1.0}) {
    const auto op = context.op.with_epsilon(epsilon);
    context.tick(0.3 * epsilon, "disjoint and overlapping supports");
    for (const std::int64_t n : {2, 3, 10, 64}) {
      const std::int64_t cut = n / 2;
      const Tensor none = at::zeros({rows, n}, at::kDouble);
      Tensor p = none.clone(), q = none.clone();
      p.slice(1, 0, cut).copy_(random(rows, cut, 0.3, g));
      q.slice(1, cut).copy_(random(rows, n - cut, 0.3, g));
      at_disjoint = std::max(at_disjoint, op->scores(p.unsqueeze(1), q.unsqueeze(1)).abs().max().item<double>());
      smallest_divergence = std::min(smallest_divergence, divergence(p, q).min().item<double>());
      // Overlap in one outcome, down to mass 1e-6: |p - q|^2 <= 2, so E >= (p.q)^2 / (2 + eps).
      const auto negative = [&](const Tensor& z) {
        const Tensor both = from_free(z);
        const Tensor a = both.select(1, 0) * (1 - 1e-6) + 1e-6 / static_cast<double>(n);
        const Tensor b = both.select(1, 1) * (1 - 1e-6) + 1e-6 / static_cast<double>(n);
        const Tensor dot = (a * b).sum(-1);
        return -op->scores(a.unsqueeze(1), b.unsqueeze(1)).flatten() * (2 + epsilon) / (dot * dot);
      };
      SearchOptions o;
      o.steps = context.scaled(100, 20);
      o.refinements = context.scaled(100, 20);
      o.seed = context.seed;
      overlapping = std::min(overlapping, -maximise(negative, kernels::normals({context.scaled(64, 8), 2, n}, g), {}, o).value);
    }
  }
  evidence.at_most(Role::kCore, "largest |E(p,q)| at disjoint supports", at_disjoint, 0, 0, "n = 2, 3, 10, 64, eps = 1e-6..1");
  evidence.at_least(Role::kCore, "smallest E(p,q) (2 + eps) / (p.q)^2 at overlapping supports, by search", overlapping, 1, 1e-9,
                    "so E > 0 as soon as p.q > 0; masses down to 1e-6 / n");
  evidence.at_least(Role::kCore, "smallest KL(p||q) at disjoint supports", smallest_divergence, std::numeric_limits<double>::infinity(), 0,
                    "n = 2, 3, 10, 64");
  const auto op = context.op.with_epsilon(1);
  evidence.note("E(p,q) where KL is infinite although the supports meet: only one direction is claimed",
                kernels::score(*op, kernels::vector_of({0.5, 0.5}), kernels::vector_of({1, 0})), "p = (1/2, 1/2), q = (1, 0), eps = 1");
}

}  // namespace yatlab::claims::simplex
