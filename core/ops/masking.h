#pragma once

#include <ATen/ATen.h>

namespace yatlab {

/// `values` where `mask` is true, `other` elsewhere; `values` itself without a mask. Masked entries get a gradient of exactly 0, whatever their
/// value.
inline at::Tensor keep(const at::Tensor& values, const at::Tensor& mask, double other) {
  if (!mask.defined()) return values;
  return at::where(mask, values, at::scalar_tensor(other, values.options()));
}

/// Throws a job error when an unmasked score is negative. Only on the CPU: on other devices the check would synchronise with the device on every
/// call.
void check_non_negative(const at::Tensor& scores, const char* who);

/// u^power for u in [0, 1], with gradient 0 at u = 0 where the true one is infinite (power < 1).
at::Tensor unit_power(const at::Tensor& u, double power);

/// For x >= 0: u = min(x, 1/x), which is in [0, 1] and never overflows; x^n is u^n up to 1 and u^-n
/// beyond.
at::Tensor folded(const at::Tensor& x);

/// ln(1 + x^power) for x >= 0, which never overflows; infinity counts as the largest number.
at::Tensor log1p_power(const at::Tensor& x, double power);

/// ln(x), or ln of the smallest normal number (with gradient 0) for x below it: keeps losses finite.
at::Tensor floored_log(const at::Tensor& x);

}  // namespace yatlab
