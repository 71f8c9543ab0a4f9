#pragma once

#include <memory>
#include <string>

#include "core/base/node.h"
#include "core/ops/operator.h"

namespace yatlab {

/// The experiment's operator and its variants, for code that studies operators themselves.
class OperatorChoice {
 public:
  /// spec: `{name: ..., <all parameters>}`
  explicit OperatorChoice(Node spec);

  const std::string& name() const { return name_; }
  const Node& spec() const { return spec_; }
  bool has_parameter(const std::string& parameter) const;
  /// As configured.
  std::shared_ptr<Operator> make() const;
  /// With one parameter changed. Throws when the operator has no such parameter.
  std::shared_ptr<Operator> with(const std::string& parameter, const Node& value) const;
  /// With another epsilon; operators without one are made as configured.
  std::shared_ptr<Operator> with_epsilon(double epsilon) const;

 private:
  Node spec_;
  std::string name_;
};

}  // namespace yatlab
