#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace yatlab {

/// The causal mask: true where the query at `first_query + i` sees the key at `first_key + j`, that is its own position and earlier ones. Undefined
/// when every query sees every key.
at::Tensor visible_keys(std::int64_t first_query, std::int64_t queries, std::int64_t first_key, std::int64_t keys, at::Device device);

/// softmax(factor * scores) over the keys that a query sees: row i of [..., n, m] sees the first `first + i + 1`, the other weights are 0. Saves only
/// its output for the backward pass. Differentiable twice.
at::Tensor causal_softmax(const at::Tensor& scores, double factor, std::int64_t first);

/// Its forward and backward pass without autograd, by the implementation for the device. `weights`: the output of the forward pass.
at::Tensor causal_softmax_forward(const at::Tensor& scores, double factor, std::int64_t first);
at::Tensor causal_softmax_backward(const at::Tensor& grad, const at::Tensor& weights, double factor, std::int64_t first);

/// The same from tensor operations, for every device.
at::Tensor general_causal_softmax(const at::Tensor& scores, double factor, std::int64_t first);
at::Tensor general_causal_softmax_backward(const at::Tensor& grad, const at::Tensor& weights, double factor, std::int64_t first);

}  // namespace yatlab
