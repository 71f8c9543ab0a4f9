#pragma once

#include <c10/core/DispatchKey.h>

#include "core/ops/yat.h"

/// \file
/// Our kernels as operators of LibTorch's dispatcher, `torch.ops.yatlab`: a body for another device is one file more, and nothing else changes.
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
/// The last two know nothing of autograd; attention does. What each gives: core/ops/yat.h, core/ops/causal_softmax.h.
namespace yatlab {

/// yat by whichever body the device of x has.
at::Tensor dispatched_yat(const at::Tensor& x, const at::Tensor& w, const YatOptions& options);
at::Tensor dispatched_causal_softmax(const at::Tensor& scores, double factor, std::int64_t first);
at::Tensor dispatched_causal_softmax_backward(const at::Tensor& grad, const at::Tensor& weights, double factor, std::int64_t first);

/// Whether some of ours was built for such devices.
bool has_kernels_for(c10::DispatchKey key);

}  // namespace yatlab
