#pragma once

#include <ATen/core/Tensor.h>

namespace yatlab {

/// float for the 16 bit types, otherwise the type itself: where sums and quotients are taken.
at::ScalarType accumulation_type(at::ScalarType storage);

/// Throws unless x is [..., B, d], w [..., n, d] and bias undefined or [n], floating, of one device.
void check_pairwise(const at::Tensor& x, const at::Tensor& w, const at::Tensor& bias, const char* who);

/// x.w for all pairs of rows: [..., B, d] x [..., n, d] -> [..., B, n], in the common type of x and
/// w. Products are summed in float (double) whatever the storage.
at::Tensor inner_products(const at::Tensor& x, const at::Tensor& w);

/// max(|x|^2 + |w|^2 - 2 x.w, 0) for all pairs: [..., B, n] in the accumulation type. No slope where
/// the identity has to be clamped.
at::Tensor squared_distances(const at::Tensor& x, const at::Tensor& w);

/// `scores + bias` (bias [n] or undefined), in the type `like`.
at::Tensor add_bias(const at::Tensor& scores, const at::Tensor& bias, at::ScalarType like);

}  // namespace yatlab
