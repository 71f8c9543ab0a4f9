#pragma once

#include <c10/core/DispatchKey.h>

#include "core/ops/yat.h"

/// \file
/// Our kernels as operators of LibTorch's dispatcher, `torch.ops.yatlab`. A kernel for another device needs one more file and no other change.
///
///     TORCH_LIBRARY_IMPL(yatlab, AutogradCUDA, m) { m.impl("yat", my_yat); }                   // with a gradient of its own
///     TORCH_LIBRARY_IMPL(yatlab, CUDA, m) { m.impl("causal_softmax", my_causal_softmax); }
///
/// | Operator | CPU | other devices |
/// |---|---|---|
/// | yat(x, w, bias, learned_epsilon, scale, bias_after, epsilon) | fused | tensor operations (core/ops/yat_general.h) |
/// | causal_softmax(scores, factor, first) | a pass over rows | tensor operations |
/// | causal_softmax_backward(grad, weights, factor, first) | a pass over rows | tensor operations |
///
/// The last two do not use autograd; attention handles their gradients. What each returns: core/ops/yat.h, core/ops/causal_softmax.h.
namespace yatlab {

/// yat by the kernel registered for the device of x.
at::Tensor dispatched_yat(const at::Tensor& x, const at::Tensor& w, const YatOptions& options);
at::Tensor dispatched_causal_softmax(const at::Tensor& scores, double factor, std::int64_t first);
at::Tensor dispatched_causal_softmax_backward(const at::Tensor& grad, const at::Tensor& weights, double factor, std::int64_t first);

/// Whether any of our kernels was built for this kind of device.
bool has_kernels_for(c10::DispatchKey key);

}  // namespace yatlab
