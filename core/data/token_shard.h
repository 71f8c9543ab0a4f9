#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/output_file.h"
#include "core/data/byte_pairs.h"

namespace yatlab {

/// A file of tokens in llm.c's layout, mapped into memory: 256 little-endian int32 (magic 20240520,
/// version 1, number of tokens, zeros), then the tokens as uint16. Documents begin with the end-of-text token.
class TokenShard {
 public:
  /// Throws a data error that gives the reason: wrong file type, another version, cut off, too long.
  static TokenShard open(const std::filesystem::path& path);

  const Token* data() const { return tokens_; }
  std::size_t size() const { return size_; }
  /// The largest token; 0 if there is none. Reads the whole file, but keeps none of it in this process's memory.
  Token highest() const;
  const std::filesystem::path& path() const { return path_; }
  /// Keeps the mapping alive, for data that outlives the shard.
  std::shared_ptr<const void> mapping() const { return mapping_; }

 private:
  std::filesystem::path path_;
  std::shared_ptr<const void> mapping_;
  const Token* tokens_ = nullptr;
  std::size_t size_ = 0;
};

/// Writes tokens into shards of a fixed size, "<folder>/<name>_<split>_<000001>.bin". A shard appears under its
/// name only when it is complete.
class TokenShardWriter {
 public:
  TokenShardWriter(std::filesystem::path folder, std::string prefix, std::size_t first_number, std::size_t tokens_per_shard);
  ~TokenShardWriter();
  TokenShardWriter(const TokenShardWriter&) = delete;
  TokenShardWriter& operator=(const TokenShardWriter&) = delete;

  void append(const Token* tokens, std::size_t count);
  /// Writes the last, unfinished shard; without this call it is dropped.
  void finish();
  const std::vector<std::filesystem::path>& files() const { return files_; }
  std::size_t tokens() const { return total_; }

 private:
  void begin();
  void end();

  std::filesystem::path folder_;
  std::string prefix_;
  std::size_t number_, limit_, in_shard_ = 0, total_ = 0;
  OutputFile file_;  // the current shard, under a temporary name
  std::vector<std::filesystem::path> files_;
};

}  // namespace yatlab
