#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace yatlab {

/// f(x), of which only x is kept for the backward pass; there f is called once more, with gradients ("activation checkpointing", Chen et al.
/// 2016). Gradients reach x and `parameters`: all leaves besides x that f depends on. f must return the same both times, and what it
/// refers to must live until the backward pass is done. Differentiable once. Without gradient mode it is f(x) alone.
at::Tensor recomputed(std::function<at::Tensor(const at::Tensor&)> f, const at::Tensor& x, const std::vector<at::Tensor>& parameters);

}  // namespace yatlab
