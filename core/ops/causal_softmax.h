#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace yatlab {

/// true where the query at `first_query + i` sees the key at `first_key + j`, itself and those before it; undefined when it sees all of them.
at::Tensor visible_keys(std::int64_t first_query, std::int64_t queries, std::int64_t first_key, std::int64_t keys, at::Device device);

/// softmax(factor * scores) over the keys that a query sees: row i of [..., n, m] sees the first `first + i + 1`, others weigh 0. Keeps what it
/// gives alone. Differentiable twice.
at::Tensor causal_softmax(const at::Tensor& scores, double factor, std::int64_t first);

/// Its two ways without autograd, by the body that the device has. `weights`: what came out.
at::Tensor causal_softmax_forward(const at::Tensor& scores, double factor, std::int64_t first);
at::Tensor causal_softmax_backward(const at::Tensor& grad, const at::Tensor& weights, double factor, std::int64_t first);

/// The same of tensor operations, for every device.
at::Tensor general_causal_softmax(const at::Tensor& scores, double factor, std::int64_t first);
at::Tensor general_causal_softmax_backward(const at::Tensor& grad, const at::Tensor& weights, double factor, std::int64_t first);

}  // namespace yatlab
