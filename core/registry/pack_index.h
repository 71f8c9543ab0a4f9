#pragma once

#include "core/registry/packs.h"

namespace yatlab {

struct PackIndex {
  const PackedComponent *first = nullptr, *last = nullptr;
  const PackedComponent* begin() const { return first; }
  const PackedComponent* end() const { return last; }
};

/// Empty in programs that load no packs.
const PackIndex& pack_index();

}  // namespace yatlab
