#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/registry/registry.h"

namespace yatlab {

using at::Tensor;

/// Properties of a kernel's scores, checked when a config is composed.
struct OperatorTraits {
  bool symmetric = false;      ///< score(x, w) == score(w, x) (without bias)
  bool non_negative = false;   ///< never below 0: may feed softermax, soft-sigmoid, soft-tanh
  bool bounded = false;        ///< bounded over x for fixed w
  bool has_epsilon = false;    ///< takes the stabiliser epsilon
  bool inner_product = false;  ///< score(x, w) == x.w (without bias): nothing but x and w is kept for the backward pass
  bool even = false;           ///< score(x, -w) == score(-x, w): see prototype inversion
  /// Each score depends on x and its own row of w alone, not on other units or their number: such operators train in stacks (docs/stacks.md).
  bool independent_units = true;
};

/// Pairwise scores between rows of x and rows of w: the "kernel" that replaces a linear layer. operator.cpp forwards every virtual function.
class Operator {
 public:
  virtual ~Operator() = default;

  /// x: [..., B, d], w: [..., n, d] (leading dimensions broadcast), bias: [n] or undefined
  /// -> [..., B, n]. Differentiable in all three, in the dtype of x.
  virtual Tensor scores(const Tensor& x, const Tensor& w, const Tensor& bias = {}) const = 0;

  /// scale * scores(x, w, bias); scale has one element or is undefined. Override it to fold the factor into another pass over the scores.
  virtual Tensor scaled_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const;

  virtual OperatorTraits traits() const = 0;

  /// Floating point operations of one forward pass over B inputs, n units, d dimensions.
  virtual std::int64_t flops(std::int64_t batch, std::int64_t units, std::int64_t dim) const = 0;

  /// Tensors learned with the network (a learned epsilon). The owner registers them as parameters "operator.<name>".
  virtual std::vector<std::pair<std::string, Tensor>> parameters() const { return {}; }

  /// Scalars to log during training, as "model/<name>" (a learned epsilon).
  virtual std::vector<std::pair<std::string, double>> observables() const { return {}; }
};

YATLAB_KIND(Operator, "operator", "pairwise kernel between inputs and weight rows")

/// The operator, wrapped to add its name to the errors that it throws deep inside other code.
std::shared_ptr<Operator> wrap_created(const Component& component, std::shared_ptr<Operator> built);

}  // namespace yatlab
