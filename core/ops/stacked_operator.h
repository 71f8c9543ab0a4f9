#pragma once

#include <string>
#include <vector>

#include "core/ops/operator.h"

namespace yatlab {

/// What an operator implements to train in stacks (core/train/training_stack.h) although it learns parameters, with numbers that differ from member
/// to member, or faster than by default. All others with `independent_units` are stacked through their `scores`.
class StackedOperator {
 public:
  virtual ~StackedOperator() = default;
  /// The scores of a stack's S members, each with its own units, biases and scale. x: [G, B, d], w: [S, n, d], bias: [S, n] or undefined,
  /// scale: [S], one element, or undefined -> [S, B, n]. G divides S: the first S / G members see the first batch, and so on.
  virtual Tensor stacked_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const = 0;
  /// Numbers of its config that may differ from member to member: "epsilon".
  virtual std::vector<std::string> stacked_parameters() const { return {}; }
  /// Sets one of them for all members: values [S], double. Called before `stacked_scores`.
  virtual void set_stacked(const std::string& parameter, const Tensor& values);
};

/// True when the operator trains in stacks: it is a StackedOperator, or has independent units and no parameters.
bool stacks(const Operator& op);
/// As StackedOperator::stacked_scores, of any operator that stacks.
Tensor stacked_scores(const Operator& op, const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale);
/// The same by one call of `scores` for each batch, with the units of all members that see it.
Tensor stacked_through_scores(const Operator& op, const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale);
std::vector<std::string> stacked_parameters(const Operator& op);
/// Throws an internal error where the operator has no such parameter.
void set_stacked(Operator& op, const std::string& parameter, const Tensor& values);

/// Scores [G, B, S/G * n] (or [B, S * n]) of stacked units -> [S, B, n].
Tensor scores_of_members(const Tensor& scores, std::int64_t members);

}  // namespace yatlab
