#pragma once

#include "core/registry/registry.h"

namespace yatlab {

/// A kind of component for the registry's tests only.
class Probe {
 public:
  virtual ~Probe() = default;
  virtual std::int64_t answer() const = 0;
};

YATLAB_KIND(Probe, "probe", "a thing to test the registry with")

}  // namespace yatlab
