#include "plugins/kernels/datasets/npy.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/data/byte_stream.h"
#include "plugins/kernels/datasets/archive_members.h"

namespace yatlab {
namespace {

Error bad_array(const std::string& name, const std::string& what, const std::string& why, const std::string& hint = {}) {
  return data_error(fmt::format("'{}' {}", name, what), {}, why, hint);
}

/// The header's dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class Header {
 public:
  Header(std::string_view text, const std::string& name) : rest_(text), name_(name) {
    expect('{');
    while (!next('}')) {
      const auto key = quoted();
      expect(':');
      if (key == "descr") {
        type = quoted();
        ++found_;
      } else if (key == "fortran_order") {
        fortran = truth();
        ++found_;
      } else if (key == "shape") {
        sizes();
        ++found_;
      } else {
        throw broken(fmt::format("unknown key '{}'", key));
      }
      if (next('}')) break;
      expect(',');
    }
    if (found_ != 3) throw broken("descr, fortran_order and shape must occur once each");
  }

  std::string type;
  bool fortran = false;
  std::vector<std::int64_t> shape;

 private:
  Error broken(const std::string& why) const { return bad_array(name_, "does not have a valid NumPy header", why); }
  void skip() { rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(" \n\t"))); }
  bool next(char c) {
    skip();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!next(c)) throw broken(fmt::format("expected '{}', found '{}'", c, rest_.substr(0, 12)));
  }
  std::string quoted() {
    skip();
    if (!rest_.empty() && rest_.front() == '[') {
      throw bad_array(name_, "contains records", "its type has several fields", "save one array for each field");
    }
    const char quote = rest_.empty() ? '\0' : rest_.front();
    const auto end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos) throw broken(fmt::format("expected a quoted word, found '{}'", rest_.substr(0, 12)));
    std::string out(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return out;
  }
  bool truth() {
    skip();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (rest_.substr(0, word.size()) == word) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    throw broken(fmt::format("expected True or False, found '{}'", rest_.substr(0, 12)));
  }
  void sizes() {
    expect('(');
    while (!next(')')) {
      skip();
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0) throw broken(fmt::format("expected a size, found '{}'", rest_.substr(0, 12)));
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      shape.push_back(size);
      if (next(')')) return;
      expect(',');
    }
  }

  std::string_view rest_;
  const std::string& name_;
  int found_ = 0;
};

/// A NumPy type; `scalar` is undefined for strings.
struct Type {
  char kind = 0;
  std::size_t bytes = 0;  ///< per item
  at::ScalarType scalar = at::ScalarType::Undefined;
  at::ScalarType unsigned_as = at::ScalarType::Undefined;  ///< u2 and u4, which have no tensor type
};

Type type_of(const std::string& text, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    return bad_array(name, fmt::format("contains values of type '{}'", text), why,
                     "numbers (b, i, u, f) and strings (S, U) can be read: save it with .astype('float32'), for example");
  };
  if (text.size() < 3) throw refuse("it is not a NumPy type");
  if (text[0] != '<' && text[0] != '>' && text[0] != '|' && text[0] != '=') throw refuse("it is not a NumPy type");
  Type out;
  out.kind = text[1];
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), out.bytes);
  if (out.kind == 'O') throw refuse("Python objects are pickled, and unpickling runs code");
  if (error != std::errc() || end != text.data() + text.size()) throw refuse("this type is not supported");
  if (out.kind == 'S') return out;
  if (out.kind == 'U') {
    if (__builtin_mul_overflow(out.bytes, std::size_t{4}, &out.bytes)) throw refuse("its strings are too long");
    return out;
  }
  const std::map<std::string, at::ScalarType> known = {{"b1", at::kBool},  {"u1", at::kByte},   {"i1", at::kChar},  {"i2", at::kShort},
                                                       {"i4", at::kInt},   {"i8", at::kLong},   {"u8", at::kLong},  {"f2", at::kHalf},
                                                       {"f4", at::kFloat}, {"f8", at::kDouble}, {"u2", at::kShort}, {"u4", at::kInt}};
  const auto it = known.find(text.substr(1));
  if (it == known.end()) throw refuse("this type is not supported");
  out.scalar = it->second;
  if (it->first == "u2") out.unsigned_as = at::kInt;
  if (it->first == "u4") out.unsigned_as = at::kLong;
  return out;
}

void append_utf8(std::string& out, std::uint32_t c) {
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6), put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 0x3F)), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
  }
}

/// One string, padded with zeros to `bytes.size()`. A bytestring (S) must be UTF-8.
std::string string_of(std::string_view bytes, bool wide, bool big_endian, std::uint64_t place, const std::string& name) {
  std::string out;
  if (!wide) {
    out = bytes;
    out.resize(out.find_last_not_of('\0') + 1);
    if (first_invalid_utf8(out) != std::string_view::npos) {
      throw bad_array(name, "contains a bytestring that is not UTF-8", fmt::format("string {}: '{}'", place, shortened(visible(out), 60)),
                      "save strings, not bytes: np.char.decode(a, 'latin1'), for example");
    }
    return out;
  }
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    std::uint32_t c = 0;
    for (std::size_t k = 0; k < 4; ++k) c |= std::uint32_t{static_cast<unsigned char>(bytes[i + (big_endian ? 3 - k : k)])} << (8 * k);
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
      throw bad_array(name, "contains a string that is not Unicode", fmt::format("string {}: character code {}", place, c));
    append_utf8(out, c);
  }
  out.resize(out.find_last_not_of('\0') + 1);
  return out;
}

}  // namespace

std::string NpyArray::text() const {
  return fmt::format("{}, {}", shape.empty() ? "a single value" : fmt::format("{}", fmt::join(shape, " x ")), type);
}

NpyArray parse_npy(std::string_view bytes, const std::string& name) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  if (bytes.size() < 10 || bytes.substr(0, 6) != kMagic) {
    throw bad_array(name, "is not a NumPy array", "it does not begin with \\x93NUMPY", "np.save(file, array) writes one");
  }
  const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(bytes[i])}; };
  const auto version = byte(6);
  if (version < 1 || version > 3) throw bad_array(name, "has an unknown format", fmt::format("version {}.{}", byte(6), byte(7)));
  const std::size_t lengths = version == 1 ? 2 : 4, begin = 8 + lengths;
  std::size_t length = 0;
  if (bytes.size() >= begin) {
    for (std::size_t i = 0; i < lengths; ++i) length |= byte(8 + i) << (8 * i);
  }
  if (bytes.size() < begin || bytes.size() - begin < length) throw bad_array(name, "is truncated", "the header is incomplete");
  Header header(bytes.substr(begin, length), name);
  const auto type = type_of(header.type, name);
  const auto data = bytes.substr(begin + length);
  std::uint64_t wanted = 0, extents = 1;
  bool overflow = false, empty = type.bytes == 0;
  for (const auto size : header.shape) {
    empty = empty || size == 0;
    // Sizes of 0 count as 1 here: a tensor's strides must not overflow, either.
    overflow = overflow || __builtin_mul_overflow(extents, static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1)), &extents);
  }
  overflow = overflow || __builtin_mul_overflow(extents, static_cast<std::uint64_t>(type.bytes), &wanted) || wanted >> 62 != 0;
  if (empty && !overflow) wanted = 0;
  if (overflow || wanted != data.size()) {
    throw bad_array(
        name, overflow || data.size() < wanted ? "is truncated" : "is longer than its header says",
        fmt::format("the header says {} values of {} bytes, found {} bytes", fmt::join(header.shape, " x "), type.bytes, data.size()));
  }
  NpyArray out;
  out.shape = header.shape;
  out.type = header.type;
  const bool big_endian = header.type[0] == '>';
  if (type.scalar == at::ScalarType::Undefined) {
    if (header.fortran && out.shape.size() > 1)
      throw bad_array(name, "contains strings in Fortran order", "this order is not supported for strings", "save np.ascontiguousarray(a)");
    const auto count = empty ? 0 : wanted / type.bytes;
    for (std::uint64_t i = 0; i < count; ++i)
      out.strings.push_back(string_of(data.substr(i * type.bytes, type.bytes), type.kind == 'U', big_endian, i, name));
    if (type.bytes == 0) {  // every string is ""
      if (extents > 1 << 16) throw bad_array(name, "contains only empty strings", fmt::format("{} of them", extents));
      out.strings.resize(std::count(out.shape.begin(), out.shape.end(), 0) ? 0 : extents);
    }
    return out;
  }
  auto sizes = out.shape;
  if (header.fortran) std::reverse(sizes.begin(), sizes.end());
  out.numbers = at::empty(sizes, type.scalar);
  auto* to = static_cast<char*>(out.numbers.data_ptr());
  if (wanted > 0) std::memcpy(to, data.data(), data.size());
  if (big_endian && type.bytes > 1) {
    for (std::uint64_t i = 0; i < wanted; i += type.bytes) std::reverse(to + i, to + i + type.bytes);
  }
  if (type.scalar == at::kBool) out.numbers = out.numbers.view(at::kByte).ne(0);
  if (header.fortran && out.shape.size() > 1) {
    std::vector<std::int64_t> order(out.shape.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(order.size() - 1 - i);
    out.numbers = out.numbers.permute(order).contiguous();
  }
  if (type.unsigned_as != at::ScalarType::Undefined) {
    const std::int64_t mask = type.bytes == 2 ? 0xFFFF : 0xFFFFFFFF;
    out.numbers = out.numbers.to(type.unsigned_as).bitwise_and(mask);
  } else if (type.kind == 'u' && type.bytes == 8 && out.numbers.lt(0).any().item<bool>()) {
    throw bad_array(name, "contains numbers above 9223372036854775807", "its type is u8");
  }
  return out;
}

NpyArray read_npy(const std::filesystem::path& path) { return parse_npy(read_unpacked(path), path.string()); }

std::map<std::string, NpyArray> read_npz(const std::filesystem::path& path) {
  std::map<std::string, NpyArray> out;
  each_zip_member(path, [&](const std::string& member, std::string_view bytes) {
    const auto name = fmt::format("{}:{}", path.string(), member);
    if (member.size() < 5 || member.substr(member.size() - 4) != ".npy") {
      throw bad_array(path.string(), fmt::format("contains '{}', which is not an array", member), {},
                      "np.savez(file, x=..., y=...) writes such an archive");
    }
    out.insert_or_assign(member.substr(0, member.size() - 4), parse_npy(bytes, name));
  });
  if (out.empty()) throw bad_array(path.string(), "contains no arrays", "the archive is empty");
  return out;
}

}  // namespace yatlab
