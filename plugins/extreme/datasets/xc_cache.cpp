#include "plugins/extreme/datasets/xc_cache.h"

#include <ATen/ATen.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/base/file_calls.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/output_file.h"
#include "core/data/sparse_rows.h"

namespace yatlab {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the cache's layout is little-endian");

constexpr std::string_view kCacheMagic = "YATLABXC";
constexpr std::uint32_t kCacheVersion = 1;
constexpr std::size_t kHead = 128, kPayload = 192, kAlign = 64;

struct Head {
  char magic[8];
  std::uint32_t version, zero;
  char source[64];
  std::int64_t rows, features, labels, feature_entries, label_entries;
  char zeros[8];
};
static_assert(sizeof(Head) == kHead);

// Offsets of the sections.
struct Sections {
  std::array<std::size_t, 5> begin{}, bytes{};
  std::size_t end = kPayload;

  explicit Sections(const Head& h) {
    const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    bytes = {8 * (size(h.rows) + 1), 8 * size(h.feature_entries), 4 * size(h.feature_entries), 8 * (size(h.rows) + 1),
             8 * size(h.label_entries)};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      begin[i] = (end + kAlign - 1) / kAlign * kAlign;
      end = begin[i] + bytes[i];
    }
  }
};

std::string seal(std::string_view image) { return sha256(sha256(image.substr(0, kHead)) + sha256(image.substr(kPayload))); }

std::string image_of(const XcRows& rows, const std::string& source) {
  const auto f = sparse_rows(rows.features), l = sparse_rows(rows.labels);
  Head head{};
  kCacheMagic.copy(head.magic, sizeof head.magic);
  head.version = kCacheVersion;
  source.copy(head.source, sizeof head.source);
  head.rows = f.rows;
  head.features = f.width;
  head.labels = l.width;
  head.feature_entries = f.entries();
  head.label_entries = l.entries();
  const Sections sections(head);
  std::string image(sections.end, '\0');
  std::memcpy(image.data(), &head, sizeof head);
  const std::array<const void*, 5> from = {f.starts, f.columns, f.values, l.starts, l.columns};
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (sections.bytes[i] > 0) std::memcpy(image.data() + sections.begin[i], from[i], sections.bytes[i]);
  }
  seal(image).copy(image.data() + kHead, 64);
  return image;
}

// A file mapped for reading. Private and writable: writing into a tensor by mistake changes neither
// the file nor what other processes see.
class CacheMapping {
 public:
  static std::shared_ptr<CacheMapping> open(const fs::path& path) {
    const Descriptor fd(file_calls().open(path.c_str(), O_RDONLY, 0));
    if (!fd) return nullptr;
    struct stat status {};
    void* data = MAP_FAILED;
    if (::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      data = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ | PROT_WRITE, MAP_PRIVATE, fd.get(), 0);
    }
    return std::shared_ptr<CacheMapping>(new CacheMapping(data, static_cast<std::size_t>(status.st_size)));
  }
  ~CacheMapping() {
    if (data_ != MAP_FAILED) ::munmap(data_, size_);
  }
  CacheMapping(const CacheMapping&) = delete;
  CacheMapping& operator=(const CacheMapping&) = delete;
  std::string_view bytes() const {
    return data_ == MAP_FAILED ? std::string_view() : std::string_view(static_cast<const char*>(data_), size_);
  }
  char* data() { return static_cast<char*>(data_); }

 private:
  CacheMapping(void* data, std::size_t size) : data_(data), size_(size) {}
  void* data_;
  std::size_t size_;
};

// "" when the image holds the parsed form of `source`, else what is wrong with it.
std::string defect(std::string_view image, const std::string& source) {
  if (image.size() < kPayload) return fmt::format("it has {} bytes", image.size());
  Head head;
  std::memcpy(&head, image.data(), sizeof head);
  if (std::string_view(head.magic, sizeof head.magic) != kCacheMagic) return "it is not a cache file";
  if (head.version != kCacheVersion) return fmt::format("its version is {}, not {}", head.version, kCacheVersion);
  if (std::string_view(head.source, sizeof head.source) != source) return "it belongs to a different file";
  const auto limit = static_cast<std::int64_t>(image.size());
  for (const auto n : {head.rows, head.feature_entries, head.label_entries}) {
    if (n < 0 || n > limit) return "its counts are invalid";
  }
  if (Sections(head).end != image.size()) {
    return fmt::format("expected {} bytes, found {}", Sections(head).end, image.size());
  }
  if (image.substr(kHead, 64) != seal(image)) return "its checksum is wrong";
  return "";
}

XcRows rows_of(const std::shared_ptr<CacheMapping>& mapping) {
  Head head;
  std::memcpy(&head, mapping->bytes().data(), sizeof head);
  const Sections sections(head);
  const auto tensor = [&](std::size_t i, std::int64_t n, at::ScalarType type) {
    // The tensor's storage keeps the mapping alive.
    return at::from_blob(
        mapping->data() + sections.begin[i], {n}, [mapping](void*) {}, at::TensorOptions().dtype(type));
  };
  return {make_sparse_rows(tensor(0, head.rows + 1, at::kLong), tensor(1, head.feature_entries, at::kLong),
                           tensor(2, head.feature_entries, at::kFloat), head.features),
          make_sparse_rows(tensor(3, head.rows + 1, at::kLong), tensor(4, head.label_entries, at::kLong), at::ones({head.label_entries}),
                           head.labels)};
}

}  // namespace

fs::path xc_cache_path(const fs::path& folder, const std::string& sha256) { return folder / (sha256 + ".yatxc"); }

XcRows read_xc_cached(const fs::path& path, const fs::path& folder, const XcOptions& options,
                      const std::function<void(const std::string&)>& notice) {
  const auto source = sha256_file(path);
  const auto cached = xc_cache_path(folder, source);
  if (const auto mapping = CacheMapping::open(cached)) {
    const auto wrong = defect(mapping->bytes(), source);
    if (wrong.empty()) return rows_of(mapping);
    if (notice) notice(fmt::format("'{}' is created again: {}", cached.string(), wrong));
  }
  auto rows = read_xc(path, options);
  try {
    write_file_atomic(cached, image_of(rows, source));
  } catch (const Error& e) {
    if (notice) notice(fmt::format("the parsed form of '{}' cannot be cached: {}: {}", path.string(), e.message(), e.why()));
  }
  return rows;
}

}  // namespace yatlab
