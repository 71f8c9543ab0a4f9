#include "core/system/shell.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace yatlab {

std::string shell_word(std::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
           std::string_view("-._/=:,+@%").find(c) != std::string_view::npos;
  });
  if (plain) return std::string(word);
  // Overrides contain single quotes, so double quotes keep them readable.
  if (word.find('\'') != std::string_view::npos && word.find_first_of("\"$`\\!") == std::string_view::npos)
    return fmt::format("\"{}\"", word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string shell_command(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const auto& word : words) quoted.push_back(shell_word(word));
  return join(quoted, " ");
}

std::string without_shell_quotes(std::string_view word) {
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 < word.size() &&
               (quote == 0 || std::string_view("\"\\$`").find(word[i + 1]) != std::string_view::npos)) {
      out += word[++i];
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace yatlab
