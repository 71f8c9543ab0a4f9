#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>

#include <type_traits>
#include <utility>

namespace yatlab {

/// How LibTorch holds a node of autograd's graph: std::shared_ptr up to 2.12, c10::intrusive_ptr from then on. Taken from what a tensor says.
using GraphNode = std::decay_t<decltype(std::declval<const at::Tensor&>().grad_fn())>;

/// A node of one's own, as LibTorch wants it to be made.
template <class Node, class Pointer = GraphNode>
auto new_graph_node() {
  if constexpr (std::is_same_v<Pointer, std::shared_ptr<torch::autograd::Node>>) {
    return std::shared_ptr<Node>(new Node(), torch::autograd::deleteNode);
  } else {
    return c10::make_intrusive<Node>();
  }
}

}  // namespace yatlab
