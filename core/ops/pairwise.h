#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace yatlab {

/// The type for sums and quotients: float for the 16 bit types, otherwise the type itself.
at::ScalarType accumulation_type(at::ScalarType storage);

/// Throws unless x is [..., B, d], w [..., n, d] and bias undefined, [n] or (for w [L, n, d]) [L, 1, n], all floating point and on one device.
void check_pairwise(const at::Tensor& x, const at::Tensor& w, const at::Tensor& bias, const char* who);

/// x.w for all pairs of rows: [..., B, d] x [..., n, d] -> [..., B, n], in the common type of x and w. Sums are in float (double for double),
/// whatever the storage type.
at::Tensor inner_products(const at::Tensor& x, const at::Tensor& w);

/// Distances below this share of |x|^2 + |w|^2 are not computed from |x|^2 + |w|^2 - 2 x.w, whose rounding error would be too large: 1/2 where inner
/// products are stored in 16 bits, 1/4 in 32, 1e-4 in double.
double close_share(at::ScalarType storage);

/// |x - w|^2 for all pairs of rows: [..., B, d] x [..., n, d] -> [..., B, n] in the accumulation type. It is computed from |x|^2 + |w|^2 - 2 x.w.
/// Close pairs (`close_share`) and their derivatives are recomputed from x - w: x = w gives 0, gradient 0 and Hessian 2 I. Differentiable any number
/// of times. The host reads the number of close pairs. Where some |x|^2 or |w|^2 overflows the accumulation type (rows longer than 1.3e19 in float),
/// all is computed and returned in double.
///
/// `epsilon`: the number that the caller will add to the distance; the sum decides whether a pair is close. For other pairs, negative rounding
/// results become 0.
at::Tensor squared_distances(const at::Tensor& x, const at::Tensor& w, double epsilon = 0);

/// The same from inner products already computed, of any type. Undefined where squared norms overflow the accumulation type: then recompute it from
/// `wider` rows.
at::Tensor squared_distances(const at::Tensor& x, const at::Tensor& w, const at::Tensor& dot, double epsilon);

/// The rows in double, which holds the squares of all floats. Throws when the rows already are double, unless they or `others` contain infinities or
/// NaN, which give NaN in any type.
at::Tensor wider(const at::Tensor& rows, const at::Tensor& others, const char* who);

/// rows / max(|row|, floor), in the accumulation type, for rows of any size: the length is computed in double where float cannot hold its square.
at::Tensor unit_rows(const at::Tensor& rows, double floor);

/// All products of one number of each factor's row: [..., n, d], [..., n, e], ... -> [..., n, d e ...], the last factor's index the fastest.
at::Tensor row_products(const std::vector<at::Tensor>& factors);

/// `scores + bias` (bias [n] or undefined), in the type `like`.
at::Tensor add_bias(const at::Tensor& scores, const at::Tensor& bias, at::ScalarType like);

}  // namespace yatlab
