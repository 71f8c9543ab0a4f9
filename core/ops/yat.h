#pragma once

#include <ATen/core/Tensor.h>

namespace yatlab {

/// Where the bias enters: inside the square, (x.w + b)^2 / (|x - w|^2 + epsilon), as the paper has
/// it, or after the quotient, (x.w)^2 / (|x - w|^2 + epsilon) + b, as the author's older code has it.
enum class BiasPlace { kInside, kAfter };

/// The further inputs of `yat`. Undefined tensors are left out of the formula. Each may also say something else of every unit: [n], or
/// [L, 1, n] for w [L, n, d].
struct YatOptions {
  at::Tensor bias;  ///< [n]
  BiasPlace bias_place = BiasPlace::kInside;
  double epsilon = 1e-5;       ///< > 0
  at::Tensor learned_epsilon;  ///< one element > 0; takes the place of `epsilon`
  at::Tensor scale;            ///< one element; multiplies every score
};

/// The yat product of all pairs of rows (paper, eq. "yat-product"; the NMN layer with `scale`):
///
///     y = scale * (x.w + b)^2 / (|x - w|^2 + epsilon)
///
/// x: [..., B, d], w: [..., n, d] (leading dimensions broadcast) -> [..., B, n], in the type of x.
/// Differentiable, any number of times, in x, w, bias, learned_epsilon and scale.
///
/// Where some |x|^2 or |w|^2 is beyond float (rows longer than 1.3e19) all is computed in double: scores are right, or infinite where they
/// are beyond the type themselves. In double such rows (beyond 9e153) are an error. On CUDA, where the host does not look, they give NaN in both.
///
/// On the CPU and on CUDA it is fused: one matrix product and one pass forward, two products and one pass
/// backward, and for that keeps x, w and their product alone. Sums, distances and denominators are
/// float for 16 and 32 bit storage, double for double. The distance comes from
/// |x|^2 + |w|^2 - 2 x.w; that of close pairs (`close_share` of core/ops/pairwise.h), and its gradient, from x - w. So w = x gives
/// |w|^4 / epsilon for every epsilon. On other devices, and where the gradient is differentiated, it is composed of
/// ATen operations, the same function; products of bf16 are rounded to bf16 in both, float16 is taken in float.
at::Tensor yat(const at::Tensor& x, const at::Tensor& w, const YatOptions& options = {});

/// The same from ATen operations alone: for other devices, and to measure against.
at::Tensor yat_composed(const at::Tensor& x, const at::Tensor& w, const YatOptions& options = {});

}  // namespace yatlab
