#include "core/model/recompute.h"

#include <ATen/ATen.h>
#include <torch/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include "core/model/graph_node.h"

namespace yatlab {
namespace {

using at::Tensor;
using torch::autograd::variable_list;

/// The backward pass through f. A custom node, since torch::autograd::Function takes no list of tensors.
struct RecomputedBackward final : torch::autograd::Node {
  std::function<Tensor(const Tensor&)> f;
  torch::autograd::SavedVariable x;
  variable_list parameters;

  variable_list apply(variable_list&& gradients) override {
    variable_list out(parameters.size() + 1);
    if (!gradients[0].defined()) return out;
    const at::AutoGradMode with_gradients(true);
    const Tensor input = x.unpack().detach().requires_grad_(true);
    variable_list leaves{input};
    leaves.insert(leaves.end(), parameters.begin(), parameters.end());
    return torch::autograd::grad({f(input)}, leaves, {gradients[0]}, /*retain_graph=*/false, /*create_graph=*/false, /*allow_unused=*/true);
  }
  void release_variables() override {
    x.reset_data();
    f = nullptr;  // also frees its captures
  }
  std::string name() const override { return "yatlab::RecomputedBackward"; }
};

}  // namespace

Tensor recomputed(std::function<Tensor(const Tensor&)> f, const Tensor& x, const std::vector<Tensor>& parameters) {
  if (!at::GradMode::is_enabled()) return f(x);
  variable_list leaves;
  for (const auto& p : parameters) {
    if (p.requires_grad()) leaves.push_back(p);
  }
  if (!x.requires_grad() && leaves.empty()) return f(x);
  Tensor out;
  {
    const at::NoGradGuard no_grad;
    out = f(x);
  }
  const auto node = new_graph_node<RecomputedBackward>();
  node->f = std::move(f);
  node->x = torch::autograd::SavedVariable(x, /*is_output=*/false);
  node->parameters = leaves;
  variable_list inputs{x};
  inputs.insert(inputs.end(), leaves.begin(), leaves.end());
  node->set_next_edges(torch::autograd::collect_next_edges(inputs));
  out = out.detach();  // f may have returned x itself
  torch::autograd::set_history(out, node);
  return out;
}

}  // namespace yatlab
