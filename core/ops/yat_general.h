#pragma once

#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <vector>

#include "core/ops/yat.h"

/// \file
/// The yat product of tensor operations, for every device, and what it shares with the fused one.
namespace yatlab {

/// `yat` for any device: keeps x, w and their product for the backward pass, as the fused one does, and computes the rest again there. The host
/// reads how many pairs are close, on each way.
at::Tensor yat_general(const at::Tensor& x, const at::Tensor& w, const YatOptions& options);

/// Whether autograd wants to hear of it.
bool yat_is_differentiated(const at::Tensor& x, const at::Tensor& w, const YatOptions& options);

/// The gradients of x, w, bias, epsilon and scale (those are `saved`) as functions that have derivatives themselves: those of the composed form,
/// which is the same function. Undefined where none is needed.
torch::autograd::variable_list differentiable_yat_gradients(torch::autograd::AutogradContext* ctx, const at::Tensor& grad,
                                                            const torch::autograd::variable_list& saved, bool bias_after, double epsilon);

/// From what autograd functions and the dispatcher pass; undefined tensors are left out.
YatOptions yat_options(const at::Tensor& bias, const at::Tensor& learned_epsilon, const at::Tensor& scale, bool bias_after, double epsilon);

/// x and w as matrices: x as it is and w [n, d] where there is one set of units for all of x, else [L, B, d] and [L, n, d].
struct YatMatrices {
  at::Tensor x, w;
  std::vector<std::int64_t> shape;  ///< of the scores
};
YatMatrices yat_matrices(const at::Tensor& x, const at::Tensor& w);

/// [..., rows, d] -> [all rows, d]: one set of units for all of x is one large matrix product.
at::Tensor all_rows(const at::Tensor& x);

/// A gradient in the type and the shape of what it is of; undefined where either is.
at::Tensor gradient_like(const at::Tensor& value, const at::Tensor& input);

/// Autograd functions take no undefined tensors: one stands for an input that is left out.
at::Tensor to_autograd_argument(const at::Tensor& t);
at::Tensor from_autograd_argument(const at::Tensor& t);

}  // namespace yatlab
