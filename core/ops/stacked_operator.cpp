#include "core/ops/stacked_operator.h"

#include <ATen/ATen.h>

#include "core/base/error.h"

namespace yatlab {

void StackedOperator::set_stacked(const std::string& parameter, const Tensor&) {
  throw Error(ErrorKind::kInternal, "this operator has no parameter '" + parameter + "' that differs from member to member");
}

bool stacks(const Operator& op) {
  return dynamic_cast<const StackedOperator*>(&op) || (op.traits().independent_units && op.parameters().empty());
}

Tensor stacked_scores(const Operator& op, const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) {
  const auto* stacked = dynamic_cast<const StackedOperator*>(&op);
  return stacked ? stacked->stacked_scores(x, w, bias, scale) : stacked_through_scores(op, x, w, bias, scale);
}

Tensor stacked_through_scores(const Operator& op, const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) {
  const auto groups = x.size(0), members = w.size(0), each = members / groups;
  std::vector<Tensor> parts;
  for (std::int64_t g = 0; g < groups; ++g) {
    const Tensor own = bias.defined() ? bias.narrow(0, g * each, each).flatten() : Tensor();
    parts.push_back(scores_of_members(op.scores(x.select(0, g), w.narrow(0, g * each, each).flatten(0, 1), own), each));
  }
  const Tensor all = groups == 1 ? parts.front() : at::cat(parts);
  if (!scale.defined()) return all;
  return all * (scale.numel() == 1 ? scale : scale.view({-1, 1, 1})).to(all.scalar_type());
}

std::vector<std::string> stacked_parameters(const Operator& op) {
  const auto* stacked = dynamic_cast<const StackedOperator*>(&op);
  return stacked ? stacked->stacked_parameters() : std::vector<std::string>();
}

void set_stacked(Operator& op, const std::string& parameter, const Tensor& values) {
  auto* const stacked = dynamic_cast<StackedOperator*>(&op);
  if (!stacked) throw Error(ErrorKind::kInternal, "an operator without parameters that differ in a stack was given '" + parameter + "'");
  stacked->set_stacked(parameter, values);
}

Tensor scores_of_members(const Tensor& scores, std::int64_t members) {
  const Tensor grouped = scores.dim() == 2 ? scores.unsqueeze(0) : scores;  // [G, B, each * n]
  return grouped.unflatten(2, {members / grouped.size(0), -1}).transpose(1, 2).flatten(0, 1);
}

}  // namespace yatlab
