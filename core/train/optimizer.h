#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/registry/registry.h"

namespace yatlab {

using at::Tensor;
struct ArmParts;

/// Updates parameters from their gradients. Its state is plain tensors, so that a checkpoint holds all of it and a resumed run continues with the
/// same bytes.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Throws a config error where this optimizer cannot work. Called when an arm is planned.
  virtual void check(const ArmParts&) const {}

  /// Takes the parameters to update; allocates state. Called once, before the first step.
  virtual void attach(std::vector<Tensor> parameters) = 0;

  /// One update with learning rate `lr` = base_lr() times the schedule's factor. Parameters without a gradient are unchanged. Gradients are not
  /// cleared.
  virtual void step(double lr) = 0;

  virtual double base_lr() const = 0;

  /// Named state tensors, in a fixed order; the same tensors that `step` updates.
  virtual std::vector<std::pair<std::string, Tensor>> state() const = 0;
};

YATLAB_KIND(Optimizer, "optimizer", "updates parameters from gradients")

}  // namespace yatlab
