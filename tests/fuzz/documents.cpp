// Documents of text files, with every rule; the first byte selects it.
#include "plugins/language/datasets/documents.h"

#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  static const MemoryFile file;
  if (input.empty()) return;
  constexpr DocumentRule kRules[] = {DocumentRule::kFile, DocumentRule::kBlankLines, DocumentRule::kLines, DocumentRule::kJsonLines};
  accepted([&] {
    DocumentReader reader(file.holding(input.substr(1)), kRules[static_cast<unsigned char>(input[0]) % 4]);
    while (const auto document = reader.next()) expect(!document->empty(), "an empty document");
  });
}

}  // namespace yatlab::fuzz
