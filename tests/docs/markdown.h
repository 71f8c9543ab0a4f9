// The commands that a Markdown page shows its reader.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab::testing {

struct DocumentedCommand {
  std::string page;
  int line = 0;
  std::string text;    ///< one shell command, continued lines joined
  bool block = false;  ///< a line of a ```bash block
};

/// `page`'s lines of ```bash blocks, and commands that begin with ./run.sh in inline code and other blocks, in the page's order.
inline std::vector<DocumentedCommand> documented_commands(const std::string& page, const std::string& text) {
  static const std::regex inline_code("`(\\./run\\.sh [^`]+)`");
  std::vector<DocumentedCommand> out;
  enum { kProse, kCommands, kOtherCode } in = kProse;
  bool continued = false;
  int number = 0;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.rfind("```", 0) == 0) {
      in = in != kProse ? kProse : line == "```bash" ? kCommands : kOtherCode;
    } else if (in == kCommands && !line.empty()) {
      const bool goes_on = line.back() == '\\';
      if (goes_on) line.pop_back();
      if (continued) {
        out.back().text += line;
      } else {
        out.push_back({page, number, line, true});
      }
      continued = goes_on;
    } else if (in == kOtherCode && line.rfind("./run.sh ", 0) == 0) {
      out.push_back({page, number, line, false});
    } else if (in == kProse) {
      for (std::sregex_iterator it(line.begin(), line.end(), inline_code), none; it != none; ++it) {
        out.push_back({page, number, (*it)[1].str(), false});
      }
    }
  }
  return out;
}

}  // namespace yatlab::testing
