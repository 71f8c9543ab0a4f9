#include "core/system/called_as.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "core/system/shell.h"

namespace yatlab {

std::string called_as() {
  const char* typed = std::getenv("YATLAB_CALLED_AS");
  return typed && *typed ? shell_word(typed) : "yatlab";
}

std::string as_called(std::string_view text) {
  const std::string_view command = "yatlab ";
  const auto name = called_as();
  std::string out;
  std::size_t done = 0;
  for (auto at = text.find(command); at != std::string_view::npos; at = text.find(command, at + 1)) {
    const bool begins = at == 0 || std::string_view(" '\"`(\n").find(text[at - 1]) != std::string_view::npos;
    const auto next = at + command.size();
    // "the package yatlab 0.1" is not a command.
    const bool goes_on = next < text.size() && (std::isalpha(static_cast<unsigned char>(text[next])) != 0 || text[next] == '-');
    if (!begins || !goes_on) continue;
    out.append(text.substr(done, at - done)).append(name);
    done = at + command.size() - 1;
  }
  return out.append(text.substr(done));
}

std::string error_as_called(std::string_view text) {
  const auto begin = std::min(text.find("\n  why: "), text.find("\n  try: "));
  if (begin == std::string_view::npos) return std::string(text);
  return std::string(text.substr(0, begin)) + as_called(text.substr(begin));
}

}  // namespace yatlab
