#include "core/measure/operator_choice.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace yatlab {

OperatorChoice::OperatorChoice(Node spec) : spec_(std::move(spec)), name_(spec_.at("name").as_string()) {}

bool OperatorChoice::has_parameter(const std::string& parameter) const {
  const auto& fields = Registry<Operator>::table().at(name_).schema.fields;
  for (const auto& field : fields) {
    if (field.name == parameter) return true;
  }
  return false;
}

std::shared_ptr<Operator> OperatorChoice::make() const { return Registry<Operator>::create(spec_); }

std::shared_ptr<Operator> OperatorChoice::with(const std::string& parameter, const Node& value) const {
  if (!has_parameter(parameter)) {
    throw config_error(fmt::format("operator '{}' has no parameter '{}'", name_, parameter));
  }
  Node spec = spec_;
  spec.set(parameter, value);
  return Registry<Operator>::create(spec);
}

std::shared_ptr<Operator> OperatorChoice::with_epsilon(double epsilon) const {
  return has_parameter("epsilon") ? with("epsilon", Node(epsilon)) : make();
}

}  // namespace yatlab
