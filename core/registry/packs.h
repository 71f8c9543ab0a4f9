#pragma once

#include <string>

#include "core/base/files.h"

namespace yatlab {

/// A component of a pack: a library of the program's own, one folder of plugins/, which is loaded when something of it is named.
struct PackedComponent {
  const char* pack;      ///< "language"
  const char* kind;      ///< "architecture"
  const char* kind_doc;  ///< what the kind says of itself
  const char* name;
  const char* aliases;  ///< separated by blanks
  const char* doc;
  const char* source;      ///< "plugins/language/architectures/transformer.cpp"
  const char* parameters;  ///< their names, separated by blanks: at least those that its source and the pack's headers declare
};

/// What packs have; read from their sources when the program is built. `folder` holds the libraries, NAME.so. To be set before anything
/// is looked up; kinds of which only packs have components are known from then on.
void set_pack_index(const PackedComponent* begin, const PackedComponent* end, fs::path folder);

/// Whether the library is there.
bool is_pack_built(const std::string& pack);

/// Loads a pack, once. One that is not built is built by `$YATLAB_RUN build PACK`, which run.sh sets; where that is not set, or fails: a plugin
/// error that says what to type.
void load_pack(const std::string& pack);

}  // namespace yatlab
