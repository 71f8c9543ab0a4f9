// Files of tokens.
#include "core/data/token_shard.h"
#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  static const MemoryFile file;
  accepted([&] {
    const auto shard = TokenShard::open(file.holding(input));
    Token highest = 0;
    for (std::size_t i = 0; i < shard.size(); ++i) highest = std::max(highest, shard.data()[i]);
    expect(shard.highest() == highest, "not the highest token");
  });
}

}  // namespace yatlab::fuzz
