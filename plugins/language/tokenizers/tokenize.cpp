#include "plugins/language/tokenizers/tokenize.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "core/base/error.h"
#include "core/data/token_shard.h"
#include "core/system/start_threads.h"

namespace yatlab {
namespace {

constexpr std::size_t kBlockBytes = 32 << 20;     // text per round of the threads,
constexpr std::size_t kLongTokens = 1 << 16;      // written at once
constexpr std::size_t kBlockDocuments = 100'000;  // or this many documents, which take memory however short they are

/// Appends the tokens of a document. Returns the number of marks in it.
std::size_t encode_document(std::string_view text, const Tokenizer& tokenizer, bool marks_are_tokens, std::vector<Token>& out) {
  std::size_t marks = 0, begin = 0;
  for (auto at = text.find(kEndOfTextMark); at != std::string_view::npos; at = text.find(kEndOfTextMark, at + kEndOfTextMark.size())) {
    ++marks;
    if (!marks_are_tokens) continue;
    tokenizer.encode(text.substr(begin, at - begin), out);
    out.push_back(tokenizer.end_of_text());
    begin = at + kEndOfTextMark.size();
  }
  tokenizer.encode(text.substr(begin), out);
  return marks;
}

/// Encodes documents in parallel; documents[i] -> tokens[i]. Returns the number of marks in them.
std::size_t encode_all(const std::vector<std::string>& documents, std::vector<std::vector<Token>>& tokens, const Tokenizer& tokenizer,
                       const TokenizeOptions& o) {
  if (tokens.size() < documents.size()) tokens.resize(documents.size());
  std::atomic<std::size_t> next{0}, marks{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < documents.size(); i = next++) {
        tokens[i].assign(1, tokenizer.end_of_text());
        marks += encode_document(documents[i], tokenizer, o.marks_are_tokens, tokens[i]);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  const auto count = std::min(o.threads, documents.size());
  auto others = start_threads(count > 1 ? count - 1 : 0, work);
  work();
  for (auto& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
  return marks;
}

}  // namespace

std::string replaced_text(std::size_t replaced) {
  return fmt::format("{} lone surrogate{} (half of a character, such as \\ud83d) replaced by U+FFFD", replaced, replaced == 1 ? "" : "s");
}

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
    out.marks += encode_all(block, tokens, tokenizer, o);
    // Documents can be short, so many are written at once.
    const auto write = [](TokenShardWriter& shards, std::vector<Token>& all) {
      shards.append(all.data(), all.size());
      all.clear();
    };
    std::vector<Token> kept_for_train, kept_for_validation;
    for (std::size_t i = 0; i < block.size(); ++i) {
      // Every k-th document, counted over all inputs.
      const bool held_out = o.validation_every > 0 && (out.documents + 1) % static_cast<std::size_t>(o.validation_every) == 0;
      auto& shards = held_out ? validation : train;
      auto& kept = held_out ? kept_for_validation : kept_for_train;
      kept.insert(kept.end(), tokens[i].begin(), tokens[i].end());
      if (tokens[i].capacity() > kLongTokens) tokens[i] = {};  // keep the memory of short ones
      if (kept.size() >= kLongTokens) write(shards, kept);
      ++out.documents;
      out.validation_documents += held_out ? 1 : 0;
    }
    write(train, kept_for_train);
    write(validation, kept_for_validation);
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
      if (block_bytes >= kBlockBytes || block.size() >= kBlockDocuments) flush();
    }
    out.replaced += reader.replaced();
  }
  if (!block.empty()) flush();
  if (out.documents == 0) throw data_error("the files contain no text", inputs.front().string());
  if (o.validation_every > 0 && !o.one_part_is_enough && (train.tokens() == 0 || validation.tokens() == 0)) {
    throw data_error(fmt::format("there is no document for {}", train.tokens() == 0 ? "training" : "validation"), inputs.front().string(),
                     fmt::format("every document whose number is a multiple of {} is for validation, and there {} {}", o.validation_every,
                                 out.documents == 1 ? "is" : "are", out.documents),
                     out.documents > 1 ? fmt::format("--val-every {}", std::min<std::size_t>(10, out.documents)) : "--documents lines");
  }
  train.finish();
  validation.finish();
  out.train_tokens = train.tokens();
  out.validation_tokens = validation.tokens();
  out.files = train.files();
  out.files.insert(out.files.end(), validation.files().begin(), validation.files().end());
  return out;
}

}  // namespace yatlab
