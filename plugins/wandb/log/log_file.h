#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/output_file.h"

namespace yatlab::wandb {

/// Layout of a .wandb file: 7 bytes that name the format, then records cut into chunks that never cross a block
/// boundary. Each chunk starts with a CRC-32 over type and payload, the payload's length and the type.
constexpr std::size_t kBlock = 32768, kChunkHead = 7;
constexpr std::string_view kFileHead{":W&B\xE1\xBE\0", 7};

/// Appends records. Each is one write(2), so that readers, also after a kill, nearly always see whole chunks. Holds
/// an exclusive lock on the file during its lifetime. Not thread-safe.
class LogWriter {
 public:
  /// Throws a file error when the file exists or cannot be created.
  static LogWriter create(const fs::path& path);
  /// Continues an interrupted log: truncates the file after the last complete record. Throws a job error when
  /// another process writes the file, a file error when the disk refuses, a data error when it is not a log.
  static LogWriter reopen(const fs::path& path);

  LogWriter(LogWriter&& other) noexcept = default;
  LogWriter& operator=(LogWriter&&) = delete;

  /// Throws a file error when the disk refuses; the file then still ends with a complete record.
  void append(std::string_view record);
  /// Waits until all data is on the disk.
  void sync();
  std::uint64_t size() const { return position_; }

 private:
  explicit LogWriter(OutputFile file) : file_(std::move(file)) {}
  void begin();
  void add_chunk(int type, std::string_view payload);

  OutputFile file_;
  std::uint64_t position_ = 0;
  std::string buffer_;  // the chunks of one record
};

/// Reads records, also of a file that is still growing: after kEnd or kCut, retry later.
class LogReader {
 public:
  enum class Result {
    kRecord,
    kEnd,      ///< between two records
    kCut,      ///< the file ends inside a record
    kCorrupt,  ///< not a record; nothing after it can be read
  };
  /// Throws a data error when the file cannot be read or is not a .wandb file.
  explicit LogReader(const fs::path& path);

  Result next(std::string& record);
  /// The end of the last complete record.
  std::uint64_t position() const { return position_; }

 private:
  std::string_view bytes(std::uint64_t at, std::size_t size);

  fs::path path_;
  Descriptor fd_;
  std::uint64_t position_ = kFileHead.size();
  std::uint64_t block_ = UINT64_MAX;  // which block `buffer_` holds
  std::string buffer_;
};

/// Whether a process has the log open for writing.
bool is_being_written(const fs::path& path);

}  // namespace yatlab::wandb
