#include "core/data/tokenize.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "core/base/error.h"
#include "core/data/token_shard.h"

namespace yatlab {
namespace {

constexpr std::size_t kBlockBytes = 32 << 20;  // of text between two rounds of the threads

/// Encodes documents side by side; documents[i] -> tokens[i].
void encode_all(const std::vector<std::string>& documents, std::vector<std::vector<Token>>& tokens,
                const Tokenizer& tokenizer, std::size_t threads) {
  tokens.assign(documents.size(), {});
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < documents.size(); i = next++) {
        tokens[i].push_back(tokenizer.end_of_text());
        tokenizer.encode(documents[i], tokens[i]);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < std::min(threads, documents.size()); ++t) others.emplace_back(work);
  work();
  for (auto& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

TokenizeResult tokenize_files(const std::vector<std::filesystem::path>& inputs, const std::filesystem::path& folder,
                              const Tokenizer& tokenizer, const TokenizeOptions& o) {
  if (inputs.empty()) throw config_error("nothing to tokenize", {}, {}, "name one or more text files");
  const auto limit = static_cast<std::size_t>(std::max<std::int64_t>(1, o.tokens_per_shard));
  TokenShardWriter train(folder, o.name + "_train", 1, limit), validation(folder, o.name + "_val", 0, limit);
  TokenizeResult out;
  std::vector<std::string> block;
  std::vector<std::vector<Token>> tokens;
  std::size_t block_bytes = 0;
  const auto flush = [&] {
    encode_all(block, tokens, tokenizer, o.threads);
    for (const auto& document : tokens) {
      // The k-th, 2k-th, ... document, counted over all inputs.
      const bool held_out = o.validation_every > 0 && (out.documents + 1) % static_cast<std::size_t>(o.validation_every) == 0;
      (held_out ? validation : train).append(document.data(), document.size());
      ++out.documents;
      out.validation_documents += held_out ? 1 : 0;
    }
    out.bytes += block_bytes;
    block.clear();
    block_bytes = 0;
    if (o.progress) o.progress(out.documents, train.tokens() + validation.tokens(), out.bytes);
  };
  for (const auto& input : inputs) {
    DocumentReader reader(input, o.documents, o.json_field);
    while (auto document = reader.next()) {
      block_bytes += document->size();
      block.push_back(std::move(*document));
      if (block_bytes >= kBlockBytes) flush();
    }
  }
  if (!block.empty()) flush();
  if (out.documents == 0) throw data_error("there is no text in the files given", inputs.front().string());
  train.finish();
  validation.finish();
  out.train_tokens = train.tokens();
  out.validation_tokens = validation.tokens();
  out.files = train.files();
  out.files.insert(out.files.end(), validation.files().begin(), validation.files().end());
  return out;
}

}  // namespace yatlab
