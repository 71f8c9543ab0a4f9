#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>

#include <type_traits>
#include <utility>

namespace yatlab {

/// The pointer type of LibTorch's autograd graph nodes: std::shared_ptr up to 2.12, c10::intrusive_ptr since then. Deduced from the return type of
/// grad_fn.
using GraphNode = std::decay_t<decltype(std::declval<const at::Tensor&>().grad_fn())>;

/// Creates a custom node with the pointer type that LibTorch expects.
template <class Node, class Pointer = GraphNode>
auto new_graph_node() {
  if constexpr (std::is_same_v<Pointer, std::shared_ptr<torch::autograd::Node>>) {
    return std::shared_ptr<Node>(new Node(), torch::autograd::deleteNode);
  } else {
    return c10::make_intrusive<Node>();
  }
}

}  // namespace yatlab
