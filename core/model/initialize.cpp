#include "core/model/initialize.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "core/base/hash.h"

namespace yatlab {

void initialize(Tensor& parameter, const ComponentRef& initializer, std::uint64_t seed, const std::string& purpose, std::uint64_t index) {
  at::NoGradGuard no_grad;
  const auto generator = at::make_generator<at::CPUGeneratorImpl>(derive_seed(seed, "init/" + purpose, index));
  Tensor view = parameter.dim() == 1 ? parameter.unsqueeze(1) : parameter;
  Registry<Initializer>::create(initializer)->fill(view, generator);
}

std::int64_t flat_size(const std::vector<std::int64_t>& input_shape) {
  std::int64_t size = 1;
  for (const auto s : input_shape) size *= s;
  return size;
}

std::map<std::string, double> operator_observables(const std::shared_ptr<Operator>& op) {
  std::map<std::string, double> seen;
  if (op) {
    for (const auto& [name, value] : op->observables()) seen["model/" + name] = value;
  }
  return seen;
}

}  // namespace yatlab
