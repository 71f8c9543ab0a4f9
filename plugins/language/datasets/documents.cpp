#include "plugins/language/datasets/documents.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/data/byte_stream.h"
#include "core/data/checked_text.h"

namespace yatlab {

namespace {

/// Extracts the text at one key of a JSON object; skips everything else. Of equal keys the last counts.
class TextOfField : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit TextOfField(const std::string& field) : field_(field) {}
  std::optional<std::string> text;
  std::size_t wrong = 0;  // position of the first invalid byte
  std::string why;

  bool null() override { return other(); }
  bool boolean(bool) override { return other(); }
  bool number_integer(number_integer_t) override { return other(); }
  bool number_unsigned(number_unsigned_t) override { return other(); }
  bool number_float(number_float_t, const string_t&) override { return other(); }
  bool binary(binary_t&) override { return other(); }
  bool string(string_t& value) override {
    if (here_ && level_ == 1) text = std::move(value);
    return true;
  }
  bool key(string_t& name) override {
    if (level_ == 1) here_ = object_ && name == field_;
    return true;
  }
  bool start_object(std::size_t) override {
    if (level_ == 0) object_ = true;
    return open();
  }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& e) override {
    wrong = position;
    why = e.what();  // "[json.exception.parse_error.101] parse error at line 1, column 7: what is wrong"
    const auto end = why.find(": ");
    if (end != std::string::npos) why.erase(0, end + 2);
    return false;
  }

 private:
  bool other() {
    if (here_ && level_ == 1) text.reset();
    return true;
  }
  bool open() {
    other();
    ++level_;
    return true;
  }
  bool close() {
    --level_;
    return true;
  }
  const std::string& field_;
  std::size_t level_ = 0;
  bool object_ = false, here_ = false;
};

/// The code unit of a \uXXXX at `at`; nothing where there is none.
std::optional<unsigned> escaped_at(std::string_view json, std::size_t at) {
  unsigned out = 0;
  if (json.substr(at, 2) != "\\u" || json.size() < at + 6) return {};
  const auto [end, error] = std::from_chars(json.data() + at + 2, json.data() + at + 6, out, 16);
  if (error != std::errc() || end != json.data() + at + 6) return {};
  return out;
}

/// Replaces lone surrogates (\ud83d without \ude00 after it), which Python writes and UTF-8 cannot hold, with U+FFFD. -> how many.
std::size_t replace_lone_surrogates(std::string& json) {
  std::size_t replaced = 0;
  for (auto at = json.find('\\'); at != std::string::npos; at = json.find('\\', at)) {
    const auto code = escaped_at(json, at).value_or(0);
    const auto next = code >= 0xD800 && code < 0xDC00 ? escaped_at(json, at + 6).value_or(0) : 0;
    if (next >= 0xDC00 && next < 0xE000) {
      at += 12;
      continue;
    }
    if (code >= 0xD800 && code < 0xE000) {
      json.replace(at, 6, "\\ufffd");
      ++replaced;
    }
    at += 2;  // also skips an escaped backslash
  }
  return replaced;
}

}  // namespace

struct DocumentReader::State {
  std::filesystem::path path;
  DocumentRule rule;
  std::string json_field;
  std::unique_ptr<ByteStream> stream;
  std::vector<char> buffer = std::vector<char>(1 << 20);
  std::size_t begin = 0, end = 0, line = 0, replaced = 0;
  bool over = false, begun = false;

  bool refill() {
    if (over) return false;
    begin = 0;
    end = stream->read(buffer.data(), buffer.size());
    over = end < buffer.size();
    if (!begun && std::string_view(buffer.data(), end).substr(0, kByteOrderMark.size()) == kByteOrderMark) begin = kByteOrderMark.size();
    begun = true;
    return end > begin;
  }
  /// The next line with its line break, if it has one; nothing at the end.
  std::optional<std::string> read_line() {
    std::string out;
    while (true) {
      if (begin == end && !refill()) break;
      const char* const from = buffer.data() + begin;
      const auto* found = static_cast<const char*>(std::memchr(from, '\n', end - begin));
      const std::size_t n = found ? static_cast<std::size_t>(found - from) + 1 : end - begin;
      out.append(from, n);
      begin += n;
      if (found) break;
    }
    if (out.empty()) return std::nullopt;
    ++line;
    check_utf8(out, path.string(), static_cast<std::int64_t>(line));
    return out;
  }
  std::optional<std::string> rest() {
    std::string out;
    while (begin < end || refill()) {
      out.append(buffer.data() + begin, end - begin);
      begin = end;
    }
    if (out.empty()) return std::nullopt;
    check_utf8(out, path.string());
    return out;
  }
  std::string text_of(std::string json) {
    const auto where = fmt::format("{}:{}", path.string(), line);
    replaced += replace_lone_surrogates(json);
    TextOfField found(json_field);
    if (!nlohmann::json::sax_parse(json, &found)) {
      const auto before = std::string_view(json).substr(0, found.wrong > 0 ? found.wrong - 1 : 0);
      throw data_error("this line is not JSON", fmt::format("{}:{}", where, count_characters(before) + 1), shortened(found.why),
                       "every line is one JSON object");
    }
    if (!found.text) {
      throw data_error(fmt::format("this line has no text under '{}'", json_field), where, {},
                       "'yatlab data tokenize --field NAME' reads the text of a different field");
    }
    return std::move(*found.text);
  }
};

namespace {

std::string without_line_break(std::string line) {
  if (!line.empty() && line.back() == '\n') line.pop_back();
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

}  // namespace

DocumentReader::DocumentReader(const std::filesystem::path& path, DocumentRule rule, std::string json_field)
    : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->rule = rule;
  state_->json_field = std::move(json_field);
  state_->stream = open_byte_stream(path);
}
DocumentReader::~DocumentReader() = default;
DocumentReader::DocumentReader(DocumentReader&&) noexcept = default;

std::optional<std::string> DocumentReader::next() {
  auto& s = *state_;
  if (s.rule == DocumentRule::kFile) return s.rest();
  std::string document;
  while (auto line = s.read_line()) {
    const std::string bare = without_line_break(*line);
    if (s.rule == DocumentRule::kBlankLines) {
      if (!bare.empty()) {
        document += *line;
      } else if (!document.empty()) {
        break;
      }
      continue;
    }
    if (bare.empty()) continue;
    auto text = s.rule == DocumentRule::kLines ? bare : s.text_of(bare);
    if (!text.empty()) return text;
  }
  if (document.empty()) return std::nullopt;
  return without_line_break(std::move(document));
}

std::size_t DocumentReader::line() const { return state_->line; }
std::size_t DocumentReader::replaced() const { return state_->replaced; }

}  // namespace yatlab
