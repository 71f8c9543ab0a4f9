#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <string>

#include "core/ops/normalizer.h"
#include "plugins/claims/gram.h"

/// Shared by the three definitions of the appendix "Squashing Functions".
namespace yatlab::claims::squashing {

using at::Tensor;

/// A registered normalizer with this power and otherwise default parameters.
inline std::shared_ptr<Normalizer> make(const std::string& name, double power) {
  Node spec = Node::map();
  spec.set("name", name);
  spec.set("power", power);
  return Registry<Normalizer>::create(spec);
}

/// Scores from 1e-6 to 1e6 and 0, in ascending order.
inline Tensor ladder(std::int64_t count) {
  const Tensor x = at::pow(10.0, at::linspace(-6, 6, count - 1, at::kDouble));
  return at::cat({at::zeros({1}, at::kDouble), x});
}

inline constexpr double kPowers[] = {0.5, 1, 2, 3};

}  // namespace yatlab::claims::squashing
