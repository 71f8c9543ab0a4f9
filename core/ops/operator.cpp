#include "core/ops/operator.h"

#include <ATen/ATen.h>

#include "core/base/failure.h"
#include "core/ops/score_range.h"
#include "core/ops/stacked_operator.h"

namespace yatlab {
namespace {

class NamedOperator : public RangedOperator {
 protected:
  template <class Body>
  auto named(const Body& body) const {
    return in_component("operator", name_, body);
  }
  Operator& op() const { return *op_; }

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

 private:
  std::string name_;
  std::shared_ptr<Operator> op_;
};

/// Of a StackedOperator.
class NamedStackedOperator final : public NamedOperator, public StackedOperator {
 public:
  using NamedOperator::NamedOperator;

  Tensor stacked_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const override {
    return named([&] { return yatlab::stacked_scores(op(), x, w, bias, scale); });
  }
  std::vector<std::string> stacked_parameters() const override {
    return named([&] { return yatlab::stacked_parameters(op()); });
  }
  void set_stacked(const std::string& parameter, const Tensor& values) override {
    named([&] { yatlab::set_stacked(op(), parameter, values); });
  }
};

}  // namespace

std::shared_ptr<Operator> wrap_created(const Component& component, std::shared_ptr<Operator> built) {
  if (dynamic_cast<const StackedOperator*>(built.get())) return std::make_shared<NamedStackedOperator>(component.name, std::move(built));
  return std::make_shared<NamedOperator>(component.name, std::move(built));
}

Tensor Operator::scaled_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const {
  const Tensor s = scores(x, w, bias);
  return scale.defined() ? s * scale.to(s.scalar_type()) : s;
}

}  // namespace yatlab
