#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <utility>

#include "core/registry/registry.h"

namespace yatlab {

using at::Tensor;

/// Fills a weight tensor [n, d] (n units, d inputs) in place.
class Initializer {
 public:
  virtual ~Initializer() = default;
  virtual void fill(Tensor& weight, at::Generator generator) const = 0;

  /// The same with training samples, [N, ...] of d values each. The default ignores them.
  virtual void fill_from(const Tensor& /*samples*/, Tensor& weight, at::Generator generator) const { fill(weight, std::move(generator)); }
};

YATLAB_KIND(Initializer, "initializer", "initial distribution of weights")

}  // namespace yatlab
