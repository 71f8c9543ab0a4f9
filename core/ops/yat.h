#pragma once

#include <ATen/core/Tensor.h>

namespace yatlab {

/// Where the bias is added: inside the square, (x.w + b)^2 / (|x - w|^2 + epsilon), as in the paper, or after the quotient, (x.w)^2 / (|x - w|^2 +
/// epsilon) + b, as in the author's older code.
enum class BiasPlace { kInside, kAfter };

/// The optional inputs of `yat`. Undefined tensors are left out of the formula. Each may also have one value per unit: [n], or [L, 1, n] for w [L, n,
/// d].
struct YatOptions {
  at::Tensor bias;  ///< [n]
  BiasPlace bias_place = BiasPlace::kInside;
  double epsilon = 1e-5;       ///< > 0
  at::Tensor learned_epsilon;  ///< one element > 0; replaces `epsilon`
  at::Tensor scale;            ///< one element; multiplies every score
};

/// The yat product of all pairs of rows (paper, eq. "yat-product"; the NMN layer with `scale`):
///
///     y = scale * (x.w + b)^2 / (|x - w|^2 + epsilon)
///
/// x: [..., B, d], w: [..., n, d] (leading dimensions broadcast) -> [..., B, n], in the type of x.
/// Differentiable, any number of times, in x, w, bias, learned_epsilon and scale.
///
/// Where some |x|^2 or |w|^2 overflows float (rows longer than 1.3e19), all is computed in double: scores are right, or infinite where they overflow
/// their own type. In double such rows (longer than 9e153) are an error. On CUDA, where the host does not check, they give NaN in both types.
///
/// On the CPU and on CUDA it is fused: one matrix product and one pass forward, two products and one pass backward. It saves only x, w and their
/// product for the backward pass. Sums, distances and denominators are float for 16 and 32 bit storage, double for double. The distance is computed
/// from |x|^2 + |w|^2 - 2 x.w; for close pairs (`close_share` of core/ops/pairwise.h) it and its gradient are computed from x - w. So w = x gives
/// |w|^4 / epsilon for every epsilon. On other devices, and where the gradient is differentiated, the same function is composed of ATen operations.
/// Products of bf16 are rounded to bf16 in both; float16 is computed in float.
at::Tensor yat(const at::Tensor& x, const at::Tensor& w, const YatOptions& options = {});

/// The same from ATen operations alone: for other devices, and as a reference.
at::Tensor yat_composed(const at::Tensor& x, const at::Tensor& w, const YatOptions& options = {});

}  // namespace yatlab
