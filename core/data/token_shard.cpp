#include "core/data/token_shard.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/error.h"
#include "core/base/file_calls.h"
#include "core/base/files.h"

namespace yatlab {
namespace {

constexpr std::int32_t kMagic = 20240520, kVersion = 1;
constexpr std::size_t kHeaderInts = 256, kHeaderBytes = kHeaderInts * 4;

Error bad_shard(const std::filesystem::path& path, const std::string& why) {
  return data_error(fmt::format("'{}' is not a token shard", path.string()), {}, why,
                    "make shards with 'yatlab data tokenize', or fetch the file again");
}

std::string_view bytes_of(const void* data, std::size_t size) { return {static_cast<const char*>(data), size}; }

}  // namespace

TokenShard TokenShard::open(const std::filesystem::path& path) {
  const auto fd = open_to_read(path);
  struct stat info {};
  const bool known = ::fstat(fd.get(), &info) == 0;
  const auto bytes = known ? static_cast<std::size_t>(info.st_size) : 0;
  void* map = bytes >= kHeaderBytes ? ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd.get(), 0) : MAP_FAILED;
  if (map == MAP_FAILED) throw bad_shard(path, fmt::format("it has {} bytes, but the header alone needs {}", bytes, kHeaderBytes));

  TokenShard out;
  out.path_ = path;
  out.mapping_ = std::shared_ptr<const void>(map, [bytes](const void* p) { ::munmap(const_cast<void*>(p), bytes); });
  std::array<std::int32_t, 3> head{};
  std::memcpy(head.data(), map, sizeof head);
  if (head[0] != kMagic) throw bad_shard(path, fmt::format("it begins with {}, not {}", head[0], kMagic));
  if (head[1] != kVersion) throw bad_shard(path, fmt::format("its version is {}, not {}", head[1], kVersion));
  out.size_ = static_cast<std::size_t>(static_cast<std::uint32_t>(head[2]));
  if (const auto expected = kHeaderBytes + 2 * out.size_; bytes != expected) {
    throw bad_shard(path, fmt::format("its header says {} tokens, which need {} bytes, but it has {}", out.size_, expected, bytes));
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

TokenShardWriter::TokenShardWriter(std::filesystem::path folder, std::string prefix, std::size_t first_number, std::size_t tokens_per_shard)
    : folder_(std::move(folder)), prefix_(std::move(prefix)), number_(first_number), limit_(tokens_per_shard) {
  if (limit_ == 0 || limit_ > 0x7FFFFFFF) throw config_error("a shard must have between 1 and 2147483647 tokens");
  make_folders(folder_);
}

TokenShardWriter::~TokenShardWriter() {
  if (file_) file_calls().remove(file_.path().c_str());
}

void TokenShardWriter::begin() {
  const auto path = folder_ / fmt::format("{}_{:06}.bin", prefix_, number_);
  file_ = OutputFile(temporary_name(path), OutputFile::Mode::kNew, path);
  const std::array<std::int32_t, kHeaderInts> header{};
  file_.write(bytes_of(header.data(), kHeaderBytes));
  in_shard_ = 0;
}

void TokenShardWriter::end() {
  const std::array<std::int32_t, 3> head{kMagic, kVersion, static_cast<std::int32_t>(in_shard_)};
  file_.write_at(0, bytes_of(head.data(), sizeof head));
  file_.sync();
  const auto path = folder_ / fmt::format("{}_{:06}.bin", prefix_, number_++);
  rename_path(file_.path(), path);
  file_.close();
  sync_directory(folder_);
  files_.push_back(path);
}

void TokenShardWriter::append(const Token* tokens, std::size_t count) {
  total_ += count;
  while (count > 0) {
    if (!file_) begin();
    const auto now = std::min(count, limit_ - in_shard_);
    file_.write(bytes_of(tokens, now * sizeof(Token)));
    in_shard_ += now;
    tokens += now;
    count -= now;
    if (in_shard_ == limit_) end();
  }
}

void TokenShardWriter::finish() {
  if (file_) end();
}

}  // namespace yatlab
