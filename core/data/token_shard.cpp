#include "core/data/token_shard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/error.h"
#include "core/base/files.h"

namespace yatlab {
namespace {

constexpr std::int32_t kMagic = 20240520, kVersion = 1;
constexpr std::size_t kHeaderInts = 256, kHeaderBytes = kHeaderInts * 4;

Error bad_shard(const std::filesystem::path& path, const std::string& why) {
  return data_error(fmt::format("'{}' is not a token shard", path.string()), {}, why,
                    "make shards with 'yatlab data tokenize', or fetch the file again");
}

void write_all(int fd, const void* bytes, std::size_t size, const std::filesystem::path& path) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const auto n = ::write(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw data_error(fmt::format("cannot write '{}'", path.string()), {}, std::strerror(errno), "is the disk full?");
    at += n;
    size -= static_cast<std::size_t>(n);
  }
}

}  // namespace

TokenShard TokenShard::open(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw data_error(fmt::format("cannot read '{}'", path.string()), {}, std::strerror(errno));
  struct stat info {};
  const bool known = ::fstat(fd, &info) == 0;
  const auto bytes = known ? static_cast<std::size_t>(info.st_size) : 0;
  void* map = bytes >= kHeaderBytes ? ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
  ::close(fd);
  if (map == MAP_FAILED) throw bad_shard(path, fmt::format("it has {} bytes; the header alone has {}", bytes, kHeaderBytes));

  TokenShard out;
  out.path_ = path;
  out.mapping_ = std::shared_ptr<const void>(map, [bytes](const void* p) { ::munmap(const_cast<void*>(p), bytes); });
  std::array<std::int32_t, 3> head{};
  std::memcpy(head.data(), map, sizeof head);
  if (head[0] != kMagic) throw bad_shard(path, fmt::format("it begins with {}, not {}", head[0], kMagic));
  if (head[1] != kVersion) throw bad_shard(path, fmt::format("its version is {}, not {}", head[1], kVersion));
  out.size_ = static_cast<std::size_t>(static_cast<std::uint32_t>(head[2]));
  if (const auto expected = kHeaderBytes + 2 * out.size_; bytes != expected) {
    throw bad_shard(path, fmt::format("its header counts {} tokens, which makes {} bytes, but it has {}", out.size_, expected, bytes));
  }
  out.tokens_ = reinterpret_cast<const Token*>(static_cast<const char*>(map) + kHeaderBytes);
  return out;
}

Token TokenShard::highest() const {
  Token out = 0;
  for (std::size_t i = 0; i < size_; ++i) out = std::max(out, tokens_[i]);
  // The pages stay in the kernel's cache.
  ::madvise(const_cast<void*>(mapping_.get()), kHeaderBytes + size_ * sizeof(Token), MADV_DONTNEED);
  return out;
}

TokenShardWriter::TokenShardWriter(std::filesystem::path folder, std::string prefix, std::size_t first_number,
                                   std::size_t tokens_per_shard)
    : folder_(std::move(folder)), prefix_(std::move(prefix)), number_(first_number), limit_(tokens_per_shard) {
  if (limit_ == 0 || limit_ > 0x7FFFFFFF) throw config_error("a shard holds between 1 and 2147483647 tokens");
  std::filesystem::create_directories(folder_);
}

TokenShardWriter::~TokenShardWriter() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

void TokenShardWriter::begin() {
  temporary_ = folder_ / fmt::format(".{}_{:06}.bin.{}.tmp", prefix_, number_, ::getpid());
  fd_ = ::open(temporary_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (fd_ < 0) throw data_error(fmt::format("cannot write '{}'", temporary_.string()), {}, std::strerror(errno));
  const std::array<std::int32_t, kHeaderInts> header{};
  write_all(fd_, header.data(), kHeaderBytes, temporary_);
  in_shard_ = 0;
}

void TokenShardWriter::end() {
  const std::array<std::int32_t, 3> head{kMagic, kVersion, static_cast<std::int32_t>(in_shard_)};
  const bool counted = ::pwrite(fd_, head.data(), sizeof head, 0) == static_cast<ssize_t>(sizeof head);
  const bool kept = ::fsync(fd_) == 0;
  ::close(fd_);
  fd_ = -1;
  const auto path = folder_ / fmt::format("{}_{:06}.bin", prefix_, number_++);
  if (!counted || !kept || ::rename(temporary_.c_str(), path.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::unlink(temporary_.c_str());
    throw data_error(fmt::format("cannot write '{}'", path.string()), {}, why, "is the disk full?");
  }
  sync_directory(folder_);
  files_.push_back(path);
}

void TokenShardWriter::append(const Token* tokens, std::size_t count) {
  total_ += count;
  while (count > 0) {
    if (fd_ < 0) begin();
    const auto now = std::min(count, limit_ - in_shard_);
    write_all(fd_, tokens, now * sizeof(Token), temporary_);
    in_shard_ += now;
    tokens += now;
    count -= now;
    if (in_shard_ == limit_) end();
  }
}

void TokenShardWriter::finish() {
  if (fd_ >= 0) end();
}

}  // namespace yatlab
