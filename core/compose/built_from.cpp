// Contents that change with every source: compiled separately, with few headers.
#include "core/compose/built_from.h"

#include <iterator>

#include "core/registry/packs.h"
#include "yatlab_pack_index.h"
#include "yatlab_source_hashes.h"

namespace yatlab {
namespace {

[[maybe_unused]] const bool is_set = [] {
  set_pack_index(std::begin(kPackIndex), std::end(kPackIndex));
  return true;
}();

}  // namespace

const BuiltFrom& built_from() {
  static const BuiltFrom out{std::begin(kSourceHashes), std::end(kSourceHashes), kAllSourcesHash, kRevision, kRevisionChanged};
  return out;
}

}  // namespace yatlab
