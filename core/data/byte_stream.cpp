#include "core/data/byte_stream.h"

#include <fmt/format.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/output_file.h"

namespace yatlab {
namespace {

constexpr const char* kFetchAgain = "remove the file and fetch it again";

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(const std::filesystem::path& path) : name_(path.string()), fd_(open_to_read(path)) {}
  std::size_t read(char* buffer, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      const auto n = fd_.read(buffer + done, size - done, name_);
      if (n == 0) break;
      done += n;
    }
    return done;
  }
  void rewind() {
    if (::lseek(fd_.get(), 0, SEEK_SET) < 0) throw_file_error("read", name_);
  }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  Descriptor fd_;
};

// Shared by the unpackers: a buffer of packed bytes, refilled from the file, and one of unpacked bytes. Their sizes are fixed: zstd checks less
// where a frame fits whole, and the result must not depend on how a file is read.
class PackedStream : public ByteStream {
 public:
  explicit PackedStream(std::unique_ptr<PlainStream> file) : file_(std::move(file)), packed_(1 << 16), unpacked_(1 << 16) {}

  std::size_t read(char* buffer, std::size_t size) final {
    std::size_t done = 0;
    while (done < size) {
      if (begin_ == end_) {
        begin_ = 0;
        end_ = unpack(unpacked_.data(), unpacked_.size());
        if (end_ == 0) break;
      }
      const auto n = std::min(size - done, end_ - begin_);
      std::memcpy(buffer + done, unpacked_.data() + begin_, n);
      begin_ += n;
      done += n;
    }
    return done;
  }

 protected:
  // Fills `buffer` with up to `size` bytes and returns their number; fewer only at the end.
  virtual std::size_t unpack(char* buffer, std::size_t size) = 0;
  // Reads more packed bytes; returns 0 at the end of the file.
  std::size_t refill() {
    const auto n = file_->read(packed_.data(), packed_.size());
    taken_ += n;
    return n;
  }
  // Call it after every unpacking step. Data error beyond the limit.
  std::size_t made(std::size_t bytes) {
    made_ += bytes;
    if (made_ > most_unpacked(taken_)) {
      throw data_error(fmt::format("'{}' decompresses to more than {} times its size", file_->name(), kUnpackedTimes), {},
                       fmt::format("{} bytes were decompressed from its first {}", made_, taken_),
                       "if you trust the file, decompress it yourself first");
    }
    return bytes;
  }
  Error needs_memory(const std::string& why) const {
    return data_error(fmt::format("'{}' cannot be decompressed", file_->name()), {}, why,
                      fmt::format("the limit is {} MB: decompress it first", kUnpackerMemory >> 20));
  }
  char* packed() { return packed_.data(); }
  std::size_t taken() const { return taken_; }
  Error cut_off(const char* format) const {
    return data_error(fmt::format("'{}' is truncated", file_->name()), {},
                      fmt::format("its {} stream is not complete after {} bytes", format, taken_), kFetchAgain);
  }
  Error corrupt(const std::string& why) const { return data_error(fmt::format("'{}' is corrupt", file_->name()), {}, why, kFetchAgain); }

 private:
  std::unique_ptr<PlainStream> file_;
  std::vector<char> packed_, unpacked_;
  std::size_t begin_ = 0, end_ = 0;  // of the unread part of unpacked_
  std::size_t taken_ = 0, made_ = 0;
};

class GzipStream final : public PackedStream {
 public:
  explicit GzipStream(std::unique_ptr<PlainStream> file) : PackedStream(std::move(file)) {
    if (inflateInit2(&z_, 15 + 16) != Z_OK) throw Error(ErrorKind::kInternal, "cannot start zlib");
  }
  ~GzipStream() override { inflateEnd(&z_); }

 private:
  std::size_t unpack(char* buffer, std::size_t size) override {
    z_.next_out = reinterpret_cast<Bytef*>(buffer);
    std::size_t left = size;
    while (left > 0) {
      if (z_.avail_in == 0) {
        z_.next_in = reinterpret_cast<Bytef*>(packed());
        z_.avail_in = static_cast<uInt>(refill());
        if (z_.avail_in == 0) {
          if (!between_members_) throw cut_off("gzip");
          break;
        }
      }
      between_members_ = false;
      z_.avail_out = static_cast<uInt>(std::min<std::size_t>(left, 1u << 30));
      const auto before = z_.avail_out;
      const int status = inflate(&z_, Z_NO_FLUSH);
      left -= made(before - z_.avail_out);
      if (status == Z_STREAM_END) {
        // Any following data must be another member: the next inflate checks its header.
        inflateReset(&z_);
        between_members_ = true;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        throw corrupt(fmt::format("gzip: {} near byte {}", z_.msg ? z_.msg : "invalid data", taken() - z_.avail_in));
      }
    }
    return size - left;
  }

  z_stream z_{};
  bool between_members_ = false;
};

class XzStream final : public PackedStream {
 public:
  explicit XzStream(std::unique_ptr<PlainStream> file) : PackedStream(std::move(file)) {
    if (lzma_stream_decoder(&z_, kUnpackerMemory, LZMA_CONCATENATED) != LZMA_OK) {
      throw Error(ErrorKind::kInternal, "cannot start liblzma");
    }
  }
  ~XzStream() override { lzma_end(&z_); }

 private:
  std::size_t unpack(char* buffer, std::size_t size) override {
    z_.next_out = reinterpret_cast<std::uint8_t*>(buffer);
    z_.avail_out = size;
    while (z_.avail_out > 0 && !done_) {
      if (z_.avail_in == 0 && action_ == LZMA_RUN) {
        z_.next_in = reinterpret_cast<const std::uint8_t*>(packed());
        z_.avail_in = refill();
        if (z_.avail_in == 0) action_ = LZMA_FINISH;
      }
      const auto before = z_.avail_out;
      const auto status = lzma_code(&z_, action_);
      made(before - z_.avail_out);
      if (status == LZMA_STREAM_END) {
        done_ = true;
      } else if (status == LZMA_BUF_ERROR) {
        throw cut_off("xz");
      } else if (status == LZMA_MEMLIMIT_ERROR) {
        throw needs_memory(fmt::format("xz: it needs {} MB of memory", lzma_memusage(&z_) >> 20));
      } else if (status != LZMA_OK) {
        throw corrupt(fmt::format("xz: {} near byte {}", describe(status), taken() - z_.avail_in));
      }
    }
    return size - z_.avail_out;
  }

  static const char* describe(lzma_ret status) {
    switch (status) {
      case LZMA_FORMAT_ERROR:
        return "not an xz stream";
      case LZMA_OPTIONS_ERROR:
        return "options that this liblzma does not support";
      case LZMA_MEM_ERROR:
        return "not enough memory";
      default:
        return "invalid data";
    }
  }
  lzma_stream z_ = LZMA_STREAM_INIT;
  lzma_action action_ = LZMA_RUN;
  bool done_ = false;
};

class ZstdStream final : public PackedStream {
 public:
  explicit ZstdStream(std::unique_ptr<PlainStream> file) : PackedStream(std::move(file)), z_(ZSTD_createDStream()) {
    if (!z_) throw Error(ErrorKind::kInternal, "cannot start zstd");
    static_assert(kUnpackerMemory == 1 << 27);
    ZSTD_DCtx_setParameter(z_, ZSTD_d_windowLogMax, 27);
  }
  ~ZstdStream() override { ZSTD_freeDStream(z_); }

 private:
  std::size_t unpack(char* buffer, std::size_t size) override {
    ZSTD_outBuffer out{buffer, size, 0};
    while (out.pos < out.size) {
      if (in_.pos == in_.size) {
        in_ = {packed(), refill(), 0};
        if (in_.size == 0) {
          if (wanted_ != 0) throw cut_off("zstd");  // 0: a frame is complete, and another may follow
          break;
        }
      }
      const auto before = out.pos;
      wanted_ = ZSTD_decompressStream(z_, &out, &in_);
      made(out.pos - before);
      if (ZSTD_isError(wanted_) && ZSTD_getErrorCode(wanted_) == ZSTD_error_frameParameter_windowTooLarge) {
        throw needs_memory("zstd: its window is larger than that (--long, --ultra)");
      }
      if (ZSTD_isError(wanted_)) {
        throw corrupt(fmt::format("zstd: {} near byte {}", ZSTD_getErrorName(wanted_), taken() - (in_.size - in_.pos)));
      }
    }
    return out.pos;
  }

  ZSTD_DStream* z_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  std::size_t wanted_ = 0;
};

}  // namespace

std::unique_ptr<ByteStream> open_byte_stream(const std::filesystem::path& path) {
  auto file = std::make_unique<PlainStream>(path);
  char head[6] = {};
  const std::string_view begin(head, file->read(head, sizeof head));
  file->rewind();
  if (begin.substr(0, 2) == "\x1f\x8b") return std::make_unique<GzipStream>(std::move(file));
  if (begin == std::string_view("\xfd"
                                "7zXZ\0",
                                6))
    return std::make_unique<XzStream>(std::move(file));
  if (begin.substr(0, 4) == "\x28\xb5\x2f\xfd") return std::make_unique<ZstdStream>(std::move(file));
  return file;
}

std::string read_unpacked(const std::filesystem::path& path) {
  const auto stream = open_byte_stream(path);
  std::string out;
  constexpr std::size_t kPiece = 1 << 20;
  for (std::size_t n = kPiece; n == kPiece;) {
    const auto size = out.size();
    out.resize(size + kPiece);
    n = stream->read(out.data() + size, kPiece);
    out.resize(size + n);
  }
  return out;
}

std::string sha256_unpacked(const std::filesystem::path& path) {
  const auto stream = open_byte_stream(path);
  std::vector<char> buffer(1 << 16);
  Hash sum;
  for (;;) {
    const auto n = stream->read(buffer.data(), buffer.size());
    sum.update({buffer.data(), n});
    if (n < buffer.size()) return sum.hex();
  }
}

}  // namespace yatlab
