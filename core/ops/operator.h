#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/registry/registry.h"

namespace yatlab {

using at::Tensor;

/// What a kernel promises about its scores; consumers check it when a config is composed.
struct OperatorTraits {
  bool symmetric = false;      ///< score(x, w) == score(w, x) (without bias)
  bool non_negative = false;   ///< never below 0: may feed softermax, soft-sigmoid, soft-tanh
  bool bounded = false;        ///< bounded over x for fixed w
  bool has_epsilon = false;    ///< takes the stabiliser epsilon
  bool inner_product = false;  ///< score(x, w) == x.w (without bias): nothing but x and w is kept for the backward pass
  bool even = false;           ///< score(x, -w) == score(-x, w): see prototype inversion
};

/// Pairwise scores between rows of x and rows of w: the "kernel" that replaces a linear layer. A virtual function that is added here
/// is forwarded in operator.cpp.
class Operator {
 public:
  virtual ~Operator() = default;

  /// x: [..., B, d], w: [..., n, d] (leading dimensions broadcast), bias: [n] or undefined
  /// -> [..., B, n]. Differentiable in all three, in the dtype of x.
  virtual Tensor scores(const Tensor& x, const Tensor& w, const Tensor& bias = {}) const = 0;

  /// scale * scores(x, w, bias), for a scale of one element or none. Operators that can fold the
  /// factor into a pass of their own override it (the NMN layer multiplies all its scores).
  virtual Tensor scaled_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const;

  virtual OperatorTraits traits() const = 0;

  /// Floating point operations of one forward pass over B inputs, n units, d dimensions.
  virtual std::int64_t flops(std::int64_t batch, std::int64_t units, std::int64_t dim) const = 0;

  /// Tensors that are learned with the network (e.g. a learned epsilon); empty for most operators.
  /// The owner registers them as parameters under "operator.<name>".
  virtual std::vector<std::pair<std::string, Tensor>> parameters() const { return {}; }

  /// Named scalars worth logging during training (a learned epsilon); logged as "model/<name>".
  virtual std::vector<std::pair<std::string, double>> observables() const { return {}; }

  /// False: trains in no stack (core/train/training_stack.h). By default what learns parameters of its own.
  virtual bool stacks() const { return parameters().empty(); }
  /// The scores of a stack's S members, each with units, biases and a scale of its own. x: [G, B, d], w: [S, n, d], bias: [S, n] or
  /// undefined, scale: [S], one element, or undefined -> [S, B, n]. G divides S: the first S / G members see the first batch, and so on.
  /// By default `scores` of the members of each batch, all their units at once.
  virtual Tensor stacked_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const;
  /// Parameters, numbers all, that may differ from member to member: "epsilon".
  virtual std::vector<std::string> stacked_parameters() const { return {}; }
  /// One of these for each member: values [S], double. Called before `stacked_scores`.
  virtual void set_stacked(const std::string& parameter, const Tensor& values);
};

YATLAB_KIND(Operator, "operator", "pairwise kernel between inputs and weight rows")

/// Scores [G, B, S/G * n] (or [B, S * n]) of stacked units -> [S, B, n].
Tensor scores_of_members(const Tensor& scores, std::int64_t members);

/// The operator behind one that adds its name to what it throws: it runs deep inside of others' code.
std::shared_ptr<Operator> wrap_created(const Component& component, std::shared_ptr<Operator> built);

}  // namespace yatlab
