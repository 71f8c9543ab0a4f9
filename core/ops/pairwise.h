#pragma once

#include <ATen/core/Tensor.h>

namespace yatlab {

/// float for the 16 bit types, otherwise the type itself: where sums and quotients are taken.
at::ScalarType accumulation_type(at::ScalarType storage);

/// Throws unless x is [..., B, d], w [..., n, d] and bias undefined, [n] or (for w [L, n, d]) [L, 1, n], floating, of one device.
void check_pairwise(const at::Tensor& x, const at::Tensor& w, const at::Tensor& bias, const char* who);

/// x.w for all pairs of rows: [..., B, d] x [..., n, d] -> [..., B, n], in the common type of x and
/// w. Products are summed in float (double) whatever the storage.
at::Tensor inner_products(const at::Tensor& x, const at::Tensor& w);

/// Below this share of |x|^2 + |w|^2 a distance is no longer taken from |x|^2 + |w|^2 - 2 x.w, whose rounding would show: 1/2 where inner
/// products are stored in 16 bits, 1/4 in 32, 1e-4 in double.
double close_share(at::ScalarType storage);

/// |x - w|^2 for all pairs of rows: [..., B, d] x [..., n, d] -> [..., B, n] in the accumulation type. It comes from |x|^2 + |w|^2 - 2 x.w but
/// for close pairs (`close_share`), which are taken again from x - w, and so are their derivatives: x = w gives 0, the gradient 0 and
/// the Hessian 2 I. Differentiable any number of times. How many pairs are close is read by the host. Where some |x|^2 or |w|^2 is beyond
/// the accumulation type (rows longer than 1.3e19 in float) all is taken, and given, in double.
///
/// `epsilon`: what will be added to the distance; pairs count as close by the sum. Negative roundings of others give 0.
at::Tensor squared_distances(const at::Tensor& x, const at::Tensor& w, double epsilon = 0);

/// The same where the inner products are there already, in any type. Undefined where squared norms are beyond the accumulation type:
/// to be taken again from `wider` rows.
at::Tensor squared_distances(const at::Tensor& x, const at::Tensor& w, const at::Tensor& dot, double epsilon);

/// The rows in double, which holds the squares of all floats. Throws when double is what they have, unless they or `others` hold infinities
/// or NaN, which give NaN in any type.
at::Tensor wider(const at::Tensor& rows, const at::Tensor& others, const char* who);

/// rows / max(|row|, floor), in the accumulation type, for rows of any size: the length is taken in double where float does not hold its square.
at::Tensor unit_rows(const at::Tensor& rows, double floor);

/// `scores + bias` (bias [n] or undefined), in the type `like`.
at::Tensor add_bias(const at::Tensor& scores, const at::Tensor& bias, at::ScalarType like);

}  // namespace yatlab
