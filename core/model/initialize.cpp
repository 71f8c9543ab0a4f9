#include "core/model/initialize.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "core/base/hash.h"
#include "core/model/architecture.h"

namespace yatlab {

namespace {

at::Generator stream_of(std::uint64_t seed, const std::string& purpose, std::uint64_t index) {
  return at::make_generator<at::CPUGeneratorImpl>(derive_seed(seed, "init/" + purpose, index));
}

}  // namespace

void initialize(Tensor& parameter, const ComponentRef& initializer, std::uint64_t seed, const std::string& purpose, std::uint64_t index) {
  at::NoGradGuard no_grad;
  Tensor view = parameter.dim() == 1 ? parameter.unsqueeze(1) : parameter;
  Registry<Initializer>::create(initializer)->fill(view, stream_of(seed, purpose, index));
}

void initialize(Tensor& parameter, const ComponentRef& initializer, const BuildContext& context, const std::string& purpose) {
  if (!context.samples.defined()) return initialize(parameter, initializer, context.seed, purpose);
  at::NoGradGuard no_grad;
  Registry<Initializer>::create(initializer)->fill_from(context.samples, parameter, stream_of(context.seed, purpose, 0));
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
