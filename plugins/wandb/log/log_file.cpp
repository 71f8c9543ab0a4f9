#include "plugins/wandb/log/log_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>

#include "core/base/error.h"
#include "core/base/file_calls.h"
#include "core/system/file_lock.h"

namespace yatlab::wandb {
namespace {

enum ChunkType { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

std::uint32_t checksum(int type, std::string_view payload) {
  const auto byte = static_cast<Bytef>(type);
  if (payload.empty()) return static_cast<std::uint32_t>(::crc32(0, &byte, 1));  // zlib treats a null pointer as a reset
  return static_cast<std::uint32_t>(
      ::crc32(::crc32(0, &byte, 1), reinterpret_cast<const Bytef*>(payload.data()), static_cast<uInt>(payload.size())));
}

unsigned byte_at(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

}  // namespace

void LogWriter::begin() {
  file_.write(kFileHead);
  position_ = kFileHead.size();
}

LogWriter LogWriter::create(const fs::path& path) {
  LogWriter out(OutputFile(path, OutputFile::Mode::kNew));
  try_lock(out.file_.descriptor());
  out.begin();
  return out;
}

LogWriter LogWriter::reopen(const fs::path& path) {
  LogWriter out(OutputFile(path, OutputFile::Mode::kUpdate));
  if (!try_lock(out.file_.descriptor())) {
    throw Error(ErrorKind::kJob, fmt::format("'{}' is being written by another process", path.string()));
  }
  if (out.file_.size() < kFileHead.size()) {  // killed before the file header was complete
    out.file_.cut(0);
    out.begin();
    return out;
  }
  LogReader reader(path);
  std::string record;
  while (reader.next(record) == LogReader::Result::kRecord) {
  }
  // The last record's padding belongs to it; it may itself be truncated.
  out.position_ = reader.position();
  out.file_.cut(out.position_);
  const std::size_t room = kBlock - out.position_ % kBlock;
  if (room < kChunkHead) {
    out.file_.write(std::string(room, '\0'));
    out.position_ += room;
  }
  return out;
}

void LogWriter::add_chunk(int type, std::string_view payload) {
  const auto sum = checksum(type, payload);
  const auto n = payload.size();
  for (const auto byte : {static_cast<std::size_t>(sum), static_cast<std::size_t>(sum >> 8), static_cast<std::size_t>(sum >> 16),
                          static_cast<std::size_t>(sum >> 24), n, n >> 8, static_cast<std::size_t>(type)}) {
    buffer_ += static_cast<char>(byte);
  }
  buffer_ += payload;
}

void LogWriter::append(std::string_view record) {
  buffer_.clear();
  bool first = true, last = false;
  while (!last) {
    const std::size_t room = kBlock - (position_ + buffer_.size()) % kBlock - kChunkHead;
    const auto n = std::min(record.size(), room);
    last = n == record.size();
    add_chunk(first ? (last ? kFull : kFirst) : (last ? kLast : kMiddle), record.substr(0, n));
    record.remove_prefix(n);
    first = false;
  }
  // Pad immediately: some readers stop at a file that ends less than a chunk header before a block boundary.
  const std::size_t room = kBlock - (position_ + buffer_.size()) % kBlock;
  if (room < kChunkHead) buffer_.append(room, '\0');
  file_.write_whole(buffer_);
  position_ += buffer_.size();
}

void LogWriter::sync() { file_.sync(); }

LogReader::LogReader(const fs::path& path) : path_(path), fd_(open_to_read(path)) {
  if (bytes(0, kFileHead.size()) != kFileHead) {
    throw data_error(fmt::format("'{}' is not a W&B run log", path.string()), {}, "its first bytes do not match the format");
  }
}

// Up to `size` bytes at `at`, as many as exist; they must be in one block.
std::string_view LogReader::bytes(std::uint64_t at, std::size_t size) {
  const auto block = at / kBlock;
  const auto offset = static_cast<std::size_t>(at % kBlock);
  if (block != block_ || buffer_.size() < offset + size) {
    buffer_.resize(kBlock);
    std::size_t have = 0;
    while (have < kBlock) {
      const auto n = ::pread(fd_.get(), buffer_.data() + have, kBlock - have, static_cast<off_t>(block * kBlock + have));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw_file_error("read", path_);
      if (n == 0) break;
      have += static_cast<std::size_t>(n);
    }
    buffer_.resize(have);
    block_ = block;
  }
  if (offset >= buffer_.size()) return {};
  return std::string_view(buffer_).substr(offset, size);
}

LogReader::Result LogReader::next(std::string& record) {
  record.clear();
  auto at = position_;
  bool inside = false;
  for (;;) {
    const std::size_t room = kBlock - at % kBlock;
    if (room < kChunkHead) {
      at += room;
      continue;
    }
    const auto head = bytes(at, kChunkHead);
    if (head.empty()) return inside ? Result::kCut : Result::kEnd;
    if (head.size() < kChunkHead) return Result::kCut;
    const std::uint32_t sum = byte_at(head, 0) | byte_at(head, 1) << 8 | byte_at(head, 2) << 16 | byte_at(head, 3) << 24;
    const std::size_t n = byte_at(head, 4) | byte_at(head, 5) << 8;
    const int type = static_cast<int>(byte_at(head, 6));
    if (n > room - kChunkHead || type < kFull || type > kLast) return Result::kCorrupt;
    if (inside != (type == kMiddle || type == kLast)) return Result::kCorrupt;
    const auto payload = n == 0 ? std::string_view() : bytes(at + kChunkHead, n);
    if (payload.size() < n) return Result::kCut;
    if (checksum(type, payload) != sum) return Result::kCorrupt;
    record += payload;
    at += kChunkHead + n;
    inside = true;
    if (type == kFull || type == kLast) break;
  }
  const std::size_t room = kBlock - at % kBlock;
  // Padding counts as part of the record, as far as it exists.
  if (room < kChunkHead && bytes(at, room).size() == room) at += room;
  position_ = at;
  return Result::kRecord;
}

bool is_being_written(const fs::path& path) {
  const Descriptor fd(file_calls().open(path.c_str(), O_RDONLY, 0));
  return fd && !try_lock(fd.get());
}

}  // namespace yatlab::wandb
