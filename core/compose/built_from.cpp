// Contents that change with every source: compiled separately, with few headers.
#include "core/compose/built_from.h"

#include <dlfcn.h>

#include <iterator>

#include "core/registry/packs.h"
#include "yatlab_pack_index.h"
#include "yatlab_source_hashes.h"

namespace yatlab {
namespace {

/// Packs are in the folder yatlab/ next to this library, both in the build and after installation.
fs::path folder_of_packs() {
  Dl_info info{};
  ::dladdr(reinterpret_cast<const void*>(&folder_of_packs), &info);
  return fs::path(info.dli_fname ? info.dli_fname : "").parent_path() / "yatlab";
}

[[maybe_unused]] const bool is_set = [] {
  set_pack_index(std::begin(kPackIndex), std::end(kPackIndex), folder_of_packs());
  return true;
}();

}  // namespace

const BuiltFrom& built_from() {
  static const BuiltFrom out{std::begin(kSourceHashes), std::end(kSourceHashes), kAllSourcesHash, kRevision, kRevisionChanged};
  return out;
}

}  // namespace yatlab
