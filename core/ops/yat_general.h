#pragma once

#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <vector>

#include "core/ops/yat.h"

/// \file
/// The yat product from tensor operations, for every device, and code shared with the fused one.
namespace yatlab {

/// `yat` for any device: saves x, w and their product for the backward pass, as the fused one does, and recomputes the rest there. The host reads the
/// number of close pairs in each forward and backward pass.
at::Tensor yat_general(const at::Tensor& x, const at::Tensor& w, const YatOptions& options);

/// Whether autograd must record it.
bool yat_is_differentiated(const at::Tensor& x, const at::Tensor& w, const YatOptions& options);

/// The gradients of x, w, bias, epsilon and scale (those are `saved`) as differentiable functions: the gradients of the composed form, which is the
/// same function. Undefined where not needed.
torch::autograd::variable_list differentiable_yat_gradients(torch::autograd::AutogradContext* ctx, const at::Tensor& grad,
                                                            const torch::autograd::variable_list& saved, bool bias_after, double epsilon);

/// Options from the arguments of autograd functions and the dispatcher; undefined tensors are left out.
YatOptions yat_options(const at::Tensor& bias, const at::Tensor& learned_epsilon, const at::Tensor& scale, bool bias_after, double epsilon);

/// x and w as matrices: x unchanged and w [n, d] where all of x shares one set of units, else [L, B, d] and [L, n, d].
struct YatMatrices {
  at::Tensor x, w;
  std::vector<std::int64_t> shape;  ///< of the scores
};
YatMatrices yat_matrices(const at::Tensor& x, const at::Tensor& w);

/// [..., rows, d] -> [all rows, d]: with one set of units for all of x, this makes one large matrix product.
at::Tensor all_rows(const at::Tensor& x);

/// A gradient in the type and shape of its input; undefined where either is.
at::Tensor gradient_like(const at::Tensor& value, const at::Tensor& input);

/// Autograd functions accept no undefined tensors: a placeholder tensor represents a missing input.
at::Tensor to_autograd_argument(const at::Tensor& t);
at::Tensor from_autograd_argument(const at::Tensor& t);

}  // namespace yatlab
