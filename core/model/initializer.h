#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include "core/registry/registry.h"

namespace yatlab {

using at::Tensor;

/// Fills a weight tensor [n, d] (n units, d inputs) in place.
class Initializer {
 public:
  virtual ~Initializer() = default;
  virtual void fill(Tensor& weight, at::Generator generator) const = 0;
};

YATLAB_KIND(Initializer, "initializer", "initial distribution of weights")

}  // namespace yatlab
