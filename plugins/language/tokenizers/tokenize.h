#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/tokenizer.h"
#include "plugins/language/datasets/documents.h"

namespace yatlab {

/// How GPT-2's tools write the token between documents.
constexpr std::string_view kEndOfTextMark = "<|endoftext|>";

struct TokenizeOptions {
  DocumentRule documents = DocumentRule::kFile;
  std::string json_field = "text";
  std::string name = "tokens";        ///< files are <name>_train_000001.bin, <name>_val_000000.bin
  std::int64_t validation_every = 0;  ///< every k-th document goes to validation; 0: none
  bool one_part_is_enough = false;    ///< otherwise it is an error if `validation_every` leaves one of the parts empty
  std::int64_t tokens_per_shard = 100'000'000;
  std::size_t threads = 1;
  bool marks_are_tokens = false;  ///< whether kEndOfTextMark in a text is `Tokenizer::end_of_text()`; else it is ordinary text
  /// Receives the documents, tokens and bytes of packed input processed so far.
  std::function<void(std::size_t documents, std::size_t tokens, std::size_t bytes)> progress;
};

struct TokenizeResult {
  std::size_t documents = 0, validation_documents = 0, bytes = 0;
  std::size_t train_tokens = 0, validation_tokens = 0;
  std::size_t marks = 0;     ///< occurrences of kEndOfTextMark in the texts
  std::size_t replaced = 0;  ///< lone surrogates that became U+FFFD (DocumentReader)
  std::vector<std::filesystem::path> files;
};

/// A message for the user: "3 lone surrogates (halves of a character, as \ud83d alone is) became U+FFFD".
std::string replaced_text(std::size_t replaced);

/// Tokenizes texts into shards below `folder`, streamed: memory holds a few blocks of documents. The result does not
/// depend on the number of threads.
TokenizeResult tokenize_files(const std::vector<std::filesystem::path>& inputs, const std::filesystem::path& folder,
                              const Tokenizer& tokenizer, const TokenizeOptions& options);

}  // namespace yatlab
