#pragma once

namespace yatlab {

/// The sources that this program was built from, as recorded by cmake/source_hashes.cpp.
struct BuiltFrom {
  const char* const (*hashes)[2];  ///< {source, hash of the code it uses}, in alphabetical order
  const char* const (*end)[2];
  const char* all;       ///< hash of all of them
  const char* revision;  ///< Git revision; "" outside a repository
  bool changed;          ///< whether the tree differed from that revision
};
const BuiltFrom& built_from();

}  // namespace yatlab
