#include "core/ops/operator.h"

#include <ATen/ATen.h>

#include "core/base/failure.h"
#include "core/ops/score_range.h"

namespace yatlab {
namespace {

class NamedOperator final : public RangedOperator {
  template <class Body>
  auto named(const Body& body) const {
    return in_component("operator", name_, body);
  }

 public:
  NamedOperator(std::string name, std::shared_ptr<Operator> op) : name_(std::move(name)), op_(std::move(op)) {}

  Tensor scores(const Tensor& x, const Tensor& w, const Tensor& bias) const override {
    return named([&] { return op_->scores(x, w, bias); });
  }
  Tensor scaled_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const override {
    return named([&] { return op_->scaled_scores(x, w, bias, scale); });
  }
  OperatorTraits traits() const override {
    return named([&] { return op_->traits(); });
  }
  std::optional<ScoreRange> score_range() const override {
    return named([&] { return yatlab::score_range(*op_); });
  }
  std::int64_t flops(std::int64_t batch, std::int64_t units, std::int64_t dim) const override {
    return named([&] { return op_->flops(batch, units, dim); });
  }
  std::vector<std::pair<std::string, Tensor>> parameters() const override {
    return named([&] { return op_->parameters(); });
  }
  std::vector<std::pair<std::string, double>> observables() const override {
    return named([&] { return op_->observables(); });
  }
  bool stacks() const override {
    return named([&] { return op_->stacks(); });
  }
  Tensor stacked_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const override {
    return named([&] { return op_->stacked_scores(x, w, bias, scale); });
  }
  std::vector<std::string> stacked_parameters() const override {
    return named([&] { return op_->stacked_parameters(); });
  }
  void set_stacked(const std::string& parameter, const Tensor& values) override {
    named([&] { op_->set_stacked(parameter, values); });
  }

 private:
  std::string name_;
  std::shared_ptr<Operator> op_;
};

}  // namespace

std::shared_ptr<Operator> wrap_created(const Component& component, std::shared_ptr<Operator> built) {
  return std::make_shared<NamedOperator>(component.name, std::move(built));
}

Tensor Operator::scaled_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const {
  const Tensor s = scores(x, w, bias);
  return scale.defined() ? s * scale.to(s.scalar_type()) : s;
}

Tensor Operator::stacked_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const {
  const auto groups = x.size(0), members = w.size(0), each = members / groups;
  std::vector<Tensor> parts;
  for (std::int64_t g = 0; g < groups; ++g) {
    const Tensor own = bias.defined() ? bias.narrow(0, g * each, each).flatten() : Tensor();
    parts.push_back(scores_of_members(scores(x.select(0, g), w.narrow(0, g * each, each).flatten(0, 1), own), each));
  }
  const Tensor all = groups == 1 ? parts.front() : at::cat(parts);
  if (!scale.defined()) return all;
  return all * (scale.numel() == 1 ? scale : scale.view({-1, 1, 1})).to(all.scalar_type());
}

void Operator::set_stacked(const std::string& parameter, const Tensor&) {
  throw Error(ErrorKind::kInternal, "an operator that says that '" + parameter + "' may differ in a stack does not take it");
}

Tensor scores_of_members(const Tensor& scores, std::int64_t members) {
  const Tensor grouped = scores.dim() == 2 ? scores.unsqueeze(0) : scores;  // [G, B, each * n]
  return grouped.unflatten(2, {members / grouped.size(0), -1}).transpose(1, 2).flatten(0, 1);
}

}  // namespace yatlab
