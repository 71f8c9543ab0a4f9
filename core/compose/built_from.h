#pragma once

namespace yatlab {

/// The sources that this program was built from, as cmake/source_hashes.cpp saw them.
struct BuiltFrom {
  const char* const (*hashes)[2];  ///< {source, hash of the code that it uses}, in alphabetical order
  const char* const (*end)[2];
  const char* all;       ///< hash of all of them
  const char* revision;  ///< Git's; "" outside a repository
  bool changed;          ///< since that revision
};
const BuiltFrom& built_from();

}  // namespace yatlab
