// A list of merges, and a text that is encoded with it and decoded again.
#include "core/data/byte_pairs.h"
#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  static const MemoryFile file;
  const auto parts = parts_of(input, 2);
  accepted([&] {
    const auto pairs = BytePairs::load(file.holding(parts[0]));
    std::vector<Token> tokens;
    pairs.encode(parts[1], tokens);
    for (const auto token : tokens) expect(token < pairs.end_of_text(), "a token beyond the vocabulary");
    expect(pairs.decode(tokens) == parts[1], "a text comes back changed");
  });
}

}  // namespace yatlab::fuzz
