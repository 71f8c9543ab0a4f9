#include "core/data/safetensors.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/base/whole_file.h"

namespace yatlab {
namespace {

constexpr std::uint64_t kMaxHeader = 100'000'000;  // the format's own limit
constexpr std::size_t kMostTensors = 100'000;
constexpr const char* kMetadata = "__metadata__";

struct Dtype {
  const char* name;
  at::ScalarType type;
  std::uint64_t size;
};
constexpr Dtype kDtypes[] = {
    {"F64", at::kDouble, 8}, {"F32", at::kFloat, 4}, {"F16", at::kHalf, 2}, {"BF16", at::kBFloat16, 2}, {"I64", at::kLong, 8},
    {"I32", at::kInt, 4},    {"I16", at::kShort, 2}, {"I8", at::kChar, 1},  {"U8", at::kByte, 1},       {"BOOL", at::kBool, 1},
};

const Dtype* dtype_named(const std::string& name) {
  for (const auto& d : kDtypes) {
    if (name == d.name) return &d;
  }
  return nullptr;
}
const Dtype* dtype_of(at::ScalarType type) {
  for (const auto& d : kDtypes) {
    if (type == d.type) return &d;
  }
  return nullptr;
}

// One tensor as the header describes it.
struct TensorEntry {
  std::string name;
  const Dtype* dtype = nullptr;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

// Checks the header's events before building a DOM, which would silently keep the last of two equal keys, and takes at least 16 bytes per value.
class HeaderCheck : public nlohmann::json_sax<nlohmann::json> {
 public:
  // A tensor's description has one value per ten bytes or so.
  explicit HeaderCheck(std::size_t bytes) : values_left_(100 + bytes / 4) {}
  std::optional<std::string> duplicate;
  std::string syntax;

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    keys_.back().push_back(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& e) override {
    syntax = e.what();
    return false;
  }

 private:
  // Nothing in a header nests deeper than name -> shape.
  bool open() {
    if (keys_.size() > 8) {
      syntax = "nested too deeply";
      return false;
    }
    keys_.emplace_back();
    return value();
  }
  bool close() {
    auto& keys = keys_.back();
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice != keys.end()) {
      duplicate = *twice;
      return false;
    }
    keys_.pop_back();
    return true;
  }
  bool value() {
    if (values_left_-- > 0) return true;
    syntax = "too many values for descriptions of tensors";
    return false;
  }
  std::vector<std::vector<std::string>> keys_;
  std::size_t values_left_;
};

class Reader {
 public:
  Reader(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  Safetensors read() {
    const auto header = this->header();
    HeaderCheck check(header.size());
    nlohmann::json::sax_parse(header, &check);
    if (check.duplicate) fail(fmt::format("the header contains '{}' twice", shortened(*check.duplicate)));
    if (!check.syntax.empty()) fail(fmt::format("the header is not valid JSON: {}", shortened(check.syntax)));
    const auto json = parse_json(header);
    if (json.size() > kMostTensors) fail(fmt::format("the header lists {} tensors; the limit is {}", json.size(), kMostTensors));
    Safetensors out;
    std::vector<TensorEntry> entries;
    for (const auto& [key, value] : json.items()) {
      if (key == kMetadata) {
        read_metadata(value, out);
      } else {
        entries.push_back(entry(key, value));
      }
    }
    check_layout(entries);
    for (const auto& e : entries) {
      auto tensor = at::empty(e.shape, e.dtype->type);
      const auto bytes = data_.substr(e.begin, e.end - e.begin);
      if (e.dtype->type == at::kBool && bytes.find_first_not_of(std::string_view("\0\1", 2)) != bytes.npos) {
        fail(fmt::format("tensor '{}' is BOOL, but contains a byte other than 0 and 1", e.name));
      }
      if (!bytes.empty()) std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
      out.tensors.emplace_back(e.name, std::move(tensor));
    }
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw data_error(fmt::format("'{}' is not a valid safetensors file", name_), {}, shortened(why));
  }

  std::string_view header() {
    if (bytes_.size() < 8) fail(fmt::format("expected 8 bytes of header length, found {} bytes", bytes_.size()));
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < 8; ++i) length |= std::uint64_t{static_cast<unsigned char>(bytes_[i])} << (8 * i);
    if (length > kMaxHeader) fail(fmt::format("the header is too long: {} bytes; the limit is {}", length, kMaxHeader));
    if (length > bytes_.size() - 8) {
      fail(fmt::format("it is truncated in the header: expected {} bytes, found {}", length, bytes_.size() - 8));
    }
    const auto text = bytes_.substr(8, length);
    if (text.empty() || text.front() != '{') fail("the header does not begin with '{'");
    data_ = bytes_.substr(8 + length);
    return text;
  }

  void read_metadata(const nlohmann::json& value, Safetensors& out) const {
    if (!value.is_object()) fail("__metadata__ is not a map");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail(fmt::format("__metadata__.{} is not a string", key));
      out.metadata[key] = text.get<std::string>();
    }
  }

  TensorEntry entry(const std::string& name, const nlohmann::json& value) const {
    TensorEntry e;
    e.name = name;
    if (!value.is_object()) fail(fmt::format("tensor '{}' is not described by a map", name));
    for (const auto& [key, unused] : value.items()) {
      if (key != "dtype" && key != "shape" && key != "data_offsets") {
        fail(fmt::format("tensor '{}' has the unknown key '{}'", name, key));
      }
    }
    for (const char* key : {"dtype", "shape", "data_offsets"}) {
      if (!value.contains(key)) fail(fmt::format("tensor '{}' has no '{}'", name, key));
    }
    const auto& dtype = value["dtype"];
    if (dtype.is_string()) e.dtype = dtype_named(dtype.get<std::string>());
    if (!e.dtype) fail(fmt::format("tensor '{}' has the unknown dtype {}", name, dump_json(dtype)));

    const auto natural = [](const nlohmann::json& n) {
      return n.is_number_unsigned() && n.get<std::uint64_t>() <= std::uint64_t(std::numeric_limits<std::int64_t>::max());
    };
    const auto& shape = value["shape"];
    if (!shape.is_array() || !std::all_of(shape.begin(), shape.end(), natural)) {
      fail(fmt::format("tensor '{}' has the invalid shape {}", name, dump_json(shape)));
    }
    std::uint64_t size = e.dtype->size;
    bool overflow = false, empty = false;
    for (const auto& n : shape) {
      const auto d = n.get<std::uint64_t>();
      e.shape.push_back(static_cast<std::int64_t>(d));
      empty = empty || d == 0;
      overflow = __builtin_mul_overflow(size, std::max<std::uint64_t>(d, 1), &size) || overflow;
    }
    if (overflow || size > std::uint64_t(std::numeric_limits<std::int64_t>::max())) {
      fail(fmt::format("tensor '{}' is impossibly large: shape {}", name, dump_json(shape)));
    }
    if (empty) size = 0;

    const auto& offsets = value["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2 || !std::all_of(offsets.begin(), offsets.end(), natural)) {
      fail(fmt::format("tensor '{}' has the invalid data_offsets {}", name, dump_json(offsets)));
    }
    e.begin = offsets[0].get<std::uint64_t>();
    e.end = offsets[1].get<std::uint64_t>();
    if (e.begin > e.end) fail(fmt::format("tensor '{}' ends before it begins: {}", name, dump_json(offsets)));
    if (e.end - e.begin != size) {
      fail(fmt::format("tensor '{}' has {} bytes, but {} {} needs {}", name, e.end - e.begin, e.dtype->name, dump_json(shape), size));
    }
    return e;
  }

  void check_layout(std::vector<TensorEntry>& entries) const {
    std::sort(entries.begin(), entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
      return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    std::uint64_t at = 0;
    for (const auto& e : entries) {
      if (e.begin > at) fail(fmt::format("there is a gap before tensor '{}': bytes {} to {}", e.name, at, e.begin));
      if (e.begin < at) fail(fmt::format("tensor '{}' overlaps the one before it: it begins at {}, not {}", e.name, e.begin, at));
      at = e.end;
    }
    if (data_.size() < at) fail(fmt::format("it is truncated: the tensors need {} bytes, found {}", at, data_.size()));
    if (data_.size() > at) {
      fail(fmt::format("there are {} bytes after the last tensor", data_.size() - at));
    }
  }

  std::string_view bytes_, data_;
  std::string name_;
};

// A memory-mapped file: a checkpoint is copied once, straight into its tensors.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& path) {
    const auto fd = open_to_read(path);
    struct stat s {};
    if (::fstat(fd.get(), &s) != 0 || !S_ISREG(s.st_mode)) {
      throw data_error(fmt::format("cannot read '{}'", path.string()), {}, "not a regular file");
    }
    size_ = static_cast<std::size_t>(s.st_size);
    if (size_ > 0) data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (data_ == MAP_FAILED) throw data_error(fmt::format("cannot map '{}'", path.string()), {}, std::strerror(errno));
  }
  ~MappedFile() {
    if (size_ > 0) ::munmap(data_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

const at::Tensor* Safetensors::find(std::string_view name) const {
  for (const auto& [key, tensor] : tensors) {
    if (key == name) return &tensor;
  }
  return nullptr;
}

const at::Tensor& Safetensors::at(std::string_view name) const {
  if (const auto* tensor = find(name)) return *tensor;
  throw data_error(fmt::format("no tensor '{}' in the file", name));
}

namespace {

/// A file's tensors in the order of their data, and the bytes before them.
struct Layout {
  struct Item {
    const std::string* name;
    at::Tensor tensor;
    const Dtype* dtype;
    std::uint64_t bytes;
  };
  std::vector<Item> items;
  std::string head;
  std::uint64_t data_bytes = 0;
};

Layout layout_of(const NamedTensors& tensors, const std::map<std::string, std::string>& metadata) {
  Layout out;
  std::set<std::string> names;
  for (const auto& [name, tensor] : tensors) {
    const auto refuse = [&, &called = name](const char* why) {
      throw Error(ErrorKind::kInternal, fmt::format("cannot save tensor '{}'", called), {}, why);
    };
    if (name == kMetadata) refuse("the name is reserved");
    if (!names.insert(name).second) refuse("the name is given twice");
    if (!tensor.defined()) refuse("it is undefined");
    const auto* dtype = dtype_of(tensor.scalar_type());
    if (!dtype) refuse("safetensors has no such dtype");
    out.items.push_back({&name, tensor.detach(), dtype, static_cast<std::uint64_t>(tensor.numel()) * dtype->size});
  }
  // Descending alignment keeps every tensor aligned to its own type.
  std::sort(out.items.begin(), out.items.end(), [](const auto& a, const auto& b) {
    return a.dtype->size != b.dtype->size ? a.dtype->size > b.dtype->size : *a.name < *b.name;
  });
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadata] = metadata;
  for (const auto& item : out.items) {
    const auto end = out.data_bytes + item.bytes;
    header[*item.name] = {{"dtype", item.dtype->name}, {"shape", item.tensor.sizes().vec()}, {"data_offsets", {out.data_bytes, end}}};
    out.data_bytes = end;
  }
  std::string text;
  try {
    text = dump_json(header);
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kInternal, "cannot save tensors", {}, "a name or a metadata value is not UTF-8");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kMaxHeader) throw Error(ErrorKind::kInternal, "cannot save tensors", {}, "the header is too long");
  for (int i = 0; i < 8; ++i) out.head += static_cast<char>(text.size() >> (8 * i) & 0xff);
  out.head += text;
  return out;
}

/// `take(bytes)` receives the file piece by piece.
template <class Take>
void write_layout(const Layout& layout, const Take& take) {
  take(std::string_view(layout.head));
  for (const auto& item : layout.items) {
    const auto flat = item.tensor.cpu().contiguous();
    if (item.bytes > 0) take(std::string_view(static_cast<const char*>(flat.data_ptr()), item.bytes));
  }
}

}  // namespace

std::string dump_safetensors(const NamedTensors& tensors, const std::map<std::string, std::string>& metadata) {
  const auto layout = layout_of(tensors, metadata);
  std::string out;
  out.reserve(layout.head.size() + layout.data_bytes);
  write_layout(layout, [&](std::string_view bytes) { out += bytes; });
  return out;
}

FileSum save_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                         const std::map<std::string, std::string>& metadata) {
  const auto layout = layout_of(tensors, metadata);
  WholeFile file(path);
  Hash sum;
  write_layout(layout, [&](std::string_view bytes) {
    file.write(bytes);
    sum.update(bytes);
  });
  file.place();
  return {layout.head.size() + layout.data_bytes, sum.hex()};
}

Safetensors parse_safetensors(std::string_view bytes, const std::string& name) { return Reader(bytes, name).read(); }

Safetensors load_safetensors(const std::filesystem::path& path) {
  const MappedFile mapping(path);
  return parse_safetensors(mapping.bytes(), path.string());
}

}  // namespace yatlab
