#pragma once

#include <string>

#include "core/base/files.h"

namespace yatlab {

/// A component of a pack. A pack is one of this program's own libraries, built from one folder of plugins/ and loaded when something in it is named.
struct PackedComponent {
  const char* pack;      ///< "language"
  const char* kind;      ///< "architecture"
  const char* kind_doc;  ///< the kind's description
  const char* name;
  const char* aliases;  ///< separated by spaces
  const char* doc;
  const char* source;      ///< "plugins/language/architectures/transformer.cpp"
  const char* parameters;  ///< parameter names, separated by spaces: at least those that its source and the pack's headers declare
};

/// Sets the index of the packs' components, which the build reads from their sources. Call it before the first lookup. From then on, kinds that
/// only packs provide components for are known. `folder` holds the libraries, NAME.so; by default yatlab/, next to this library.
void set_pack_index(const PackedComponent* begin, const PackedComponent* end, fs::path folder = {});

/// Whether the pack's library file exists.
bool is_pack_built(const std::string& pack);

/// Loads a pack, once. A missing library is built first with `$YATLAB_RUN build PACK`; run.sh sets that variable. If it is not set, or the build
/// fails, throws a plugin error with the command to type.
void load_pack(const std::string& pack);

}  // namespace yatlab
