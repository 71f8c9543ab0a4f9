#include "core/data/wikitext_plain.h"

#include <array>
#include <utility>

namespace yatlab {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t found = text.find(from); found != std::string::npos; found = text.find(from, at)) {
    out.append(text, at, found - at);
    out += to;
    at = found + from.size();
  }
  if (at == 0) return;
  out.append(text, at, std::string::npos);
  text = std::move(out);
}

/// `" a "` -> `"a"`: every second quote in a line closes.
std::string without_blanks_in_quotes(const std::string& line, char quote) {
  std::string out;
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != quote) {
      out += line[i];
      continue;
    }
    const bool alone = (i == 0 || is_blank(line[i - 1])) && (i + 1 == line.size() || is_blank(line[i + 1]));
    if (!alone) {
      out += quote;
      continue;
    }
    if (inside && !out.empty() && out.back() == ' ') out.pop_back();
    out += quote;
    if (!inside && i + 1 < line.size() && line[i + 1] == ' ') ++i;
    inside = !inside;
  }
  return out;
}

std::string plain_line(std::string line) {
  static constexpr std::array<std::pair<const char*, const char*>, 23> kRules = {
      // rules that a comma may follow come first
      {{"s ' ", "s' "},   {" 's ", "'s "}, {" 't ", "'t "}, {" 're ", "'re "}, {" 've ", "'ve "}, {" 'm ", "'m "},
       {" 'll ", "'ll "}, {" 'd ", "'d "}, {" @-@ ", "-"},  {" @,@ ", ","},    {" @.@ ", "."},    {" : ", ": "},
       {" ; ", "; "},     {" . ", ". "},   {" ! ", "! "},   {" ? ", "? "},     {" , ", ", "},     {"( ", "("},
       {" )", ")"},       {"[ ", "["},     {" ]", "]"},     {"{ ", "{"},       {" }", "}"}}};
  line = without_blanks_in_quotes(line, '"');
  for (const auto& [from, to] : kRules) replace_all(line, from, to);
  return line;
}

}  // namespace

std::string plain_wikitext(std::string_view text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    const auto line = text.substr(begin, end == std::string_view::npos ? end : end - begin);
    out += plain_line(std::string(line));
    if (end == std::string_view::npos) break;
    out += '\n';
    begin = end + 1;
  }
  return out;
}

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    if (!is_blank(c) && !inside) ++words;
    inside = !is_blank(c);
  }
  return words;
}

}  // namespace yatlab
