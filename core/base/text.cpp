#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/utf8.h"

namespace yatlab {
namespace {

/// Appends UTF-8 with these escaped: control characters (C0 and C1), line separators (U+2028, U+2029), marks that change the
/// writing direction (U+202A to U+202E, U+2066 to U+2069).
void append_visible(std::string& out, std::string_view utf8) {
  const auto at = [&](std::size_t i) { return i < utf8.size() ? static_cast<unsigned char>(utf8[i]) : 0U; };
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto c = at(i);
    unsigned point = 0;
    if (c == 0xC2 && at(i + 1) < 0xA0) point = at(i + 1);
    if (c == 0xE2 && (at(i + 1) == 0x80 || at(i + 1) == 0x81)) point = 0x2000 + (at(i + 1) - 0x80) * 64 + at(i + 2) - 0x80;
    const bool line_end = point == 0x2028 || point == 0x2029,
               turns = (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", c);
    } else if (c == 0xC2 && point != 0) {
      out += fmt::format("\\u{:04x}", point);
      i += 1;
    } else if (line_end || turns) {
      out += fmt::format("\\u{:04x}", point);
      i += 2;
    } else {
      out += utf8[i];
    }
  }
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 200;  // of typed text; the cost is the product of the lengths
  std::string best;
  if (word.size() > kLongest) return best;
  // Two edits in three letters make a different word.
  std::size_t best_distance = word.size() <= 3 ? 2 : std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    std::size_t distance = edit_distance(lower(word), lower(candidate));
    // An abbreviation is a likely mistake, however long the rest.
    if (word.size() >= 3 && candidate.rfind(word, 0) == 0) distance = std::min<std::size_t>(distance, 1);
    // Words that share no letter are not typos of each other, however short.
    if (distance < best_distance && distance < std::max(word.size(), candidate.size())) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  if (const auto near = nearest(word, candidates); !near.empty()) {
    return fmt::format("did you mean '{}'?", near);
  }
  if (candidates.empty()) return {};
  return shortened("choices: " + join(candidates, ", "), 2000);
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (;;) {
    const auto at = text.find(separator);
    out.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

std::string trim(std::string_view text) {
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string why_no_folder_name(std::string_view name) {
  constexpr std::size_t kLongest = 120;  // of the 255 bytes that file systems allow, to leave room for endings and numbers
  if (name.empty()) return "it is empty";
  if (name.size() > kLongest) return fmt::format("it has {} bytes; the limit is {}", name.size(), kLongest);
  if (name.front() == '.' || name.front() == '-') return fmt::format("it begins with '{}'", name.front());
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) return "it contains a control character";
    if (std::string_view("/\\:*?\"<>| ").find(c) != std::string_view::npos) return fmt::format("it contains '{}'", c);
  }
  return {};
}

std::string shortened(std::string_view utf8, std::size_t bytes) {
  if (utf8.size() <= bytes) return std::string(utf8);
  while (bytes > 0 && (static_cast<unsigned char>(utf8[bytes]) & 0xC0) == 0x80) --bytes;
  return std::string(utf8.substr(0, bytes)) + "...";
}

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    if ((c & 0xC0) == 0x80) continue;  // continuation byte
    // Combining marks U+0300..U+036F are CC 80 .. CD AF.
    if (i + 1 < utf8.size()) {
      const auto next = static_cast<unsigned char>(utf8[i + 1]);
      if (c == 0xCC || (c == 0xCD && next <= 0xAF)) continue;
    }
    ++width;
  }
  return width;
}

std::string pad(std::string_view utf8, int width) {
  const auto have = display_width(utf8);
  const auto want = static_cast<std::size_t>(std::abs(width));
  const std::string blanks(want > have ? want - have : 0, ' ');
  return width < 0 ? blanks + std::string(utf8) : std::string(utf8) + blanks;
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds)) return "-:--";  // the remaining time is unknown
  const auto s = static_cast<long long>(std::llround(std::max(0.0, seconds)));
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

std::string format_count(double value) {
  if (value >= 1e9) return fmt::format("{:.1f}G", value / 1e9);
  if (value >= 1e7) return fmt::format("{:.0f}M", value / 1e6);
  if (value >= 1e6) return fmt::format("{:.1f}M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:.0f}k", value / 1e3);
  if (value >= 1e3) return fmt::format("{:.1f}k", value / 1e3);
  return fmt::format("{:.0f}", value);
}

std::string visible(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto bad = first_invalid_utf8(text);
    append_visible(out, text.substr(0, bad));
    if (bad == std::string_view::npos) break;
    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[bad]));
    text.remove_prefix(bad + 1);
  }
  return out;
}

std::string wrapped(std::string_view indent, std::string_view text, std::size_t width) {
  const auto ended = [](std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  };
  std::string out, line(indent);
  bool empty = true;
  for (const auto& word : split(text, ' ')) {
    if (!empty && display_width(line) + 1 + display_width(word) > width) {
      out += ended(line);
      line = std::string(indent) + std::string(indent);
    } else if (!empty) {
      line += ' ';
    }
    line += word;
    empty = false;
  }
  return out + ended(line);
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace yatlab
