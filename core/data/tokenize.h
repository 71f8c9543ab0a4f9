#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/data/documents.h"
#include "core/data/tokenizer.h"

namespace yatlab {

struct TokenizeOptions {
  DocumentRule documents = DocumentRule::kFile;
  std::string json_field = "text";
  std::string name = "tokens";        ///< files are <name>_train_000001.bin, <name>_val_000000.bin
  std::int64_t validation_every = 0;  ///< every k-th document goes to validation; 0: none
  std::int64_t tokens_per_shard = 100'000'000;
  std::size_t threads = 1;
  /// Bytes of packed input read so far, documents and tokens made.
  std::function<void(std::size_t documents, std::size_t tokens, std::size_t bytes)> progress;
};

struct TokenizeResult {
  std::size_t documents = 0, validation_documents = 0, bytes = 0;
  std::size_t train_tokens = 0, validation_tokens = 0;
  std::vector<std::filesystem::path> files;
};

/// Turns texts into shards below `folder`, streamed: memory holds a few blocks of documents. The result does not
/// depend on the number of threads.
TokenizeResult tokenize_files(const std::vector<std::filesystem::path>& inputs, const std::filesystem::path& folder,
                              const Tokenizer& tokenizer, const TokenizeOptions& options);

}  // namespace yatlab
