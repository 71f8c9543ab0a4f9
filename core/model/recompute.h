#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace yatlab {

/// f(x), of which only x is saved for the backward pass. There f is called again, with gradients ("activation checkpointing", Chen et al. 2016).
/// Gradients flow to x and `parameters`: all other leaves that f depends on. f must return the same both times, and its references must stay valid
/// until the backward pass is finished. Differentiable once. With gradients disabled it is just f(x).
at::Tensor recomputed(std::function<at::Tensor(const at::Tensor&)> f, const at::Tensor& x, const std::vector<at::Tensor>& parameters);

}  // namespace yatlab
