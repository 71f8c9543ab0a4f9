#include "core/data/documents.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/data/byte_stream.h"

namespace yatlab {

struct DocumentReader::State {
  std::filesystem::path path;
  DocumentRule rule;
  std::string json_field;
  std::unique_ptr<ByteStream> stream;
  std::vector<char> buffer = std::vector<char>(1 << 20);
  std::size_t begin = 0, end = 0, line = 0;
  bool over = false;

  bool refill() {
    if (over) return false;
    begin = 0;
    end = stream->read(buffer.data(), buffer.size());
    over = end < buffer.size();
    return end > 0;
  }
  /// With its line break, if it has one; nothing at the end.
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
    return out;
  }
  std::optional<std::string> rest() {
    std::string out;
    while (begin < end || refill()) {
      out.append(buffer.data() + begin, end - begin);
      begin = end;
    }
    if (out.empty()) return std::nullopt;
    return out;
  }
  std::string text_of(const std::string& json) const {
    const auto where = fmt::format("{}:{}", path.string(), line);
    const auto parsed = nlohmann::json::parse(json, nullptr, false);
    if (parsed.is_discarded()) throw data_error("this line is not JSON", where, {}, "is every line one JSON object?");
    if (!parsed.is_object() || !parsed.contains(json_field) || !parsed.at(json_field).is_string()) {
      throw data_error(fmt::format("this line has no text under '{}'", json_field), where, {}, "name the field with --field");
    }
    return parsed.at(json_field).get<std::string>();
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

}  // namespace yatlab
