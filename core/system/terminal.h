#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace yatlab {

constexpr int kUsualWidth = 100;

/// The width in columns of the terminal on standard output; `unknown` if that is a file or a pipe, or does not tell.
inline int terminal_width(int unknown = kUsualWidth) {
  winsize size{};
  return ::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : unknown;
}

/// The same for text that must not be cut or wrapped in a file or a pipe: 0 there.
inline std::size_t width_to_keep() { return ::isatty(STDOUT_FILENO) == 1 ? static_cast<std::size_t>(terminal_width()) : 0; }

/// Whether standard output is a terminal that can move its cursor: TERM is set, and not to "dumb".
inline bool is_screen() {
  const char* const term = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && term && *term != '\0' && std::string_view(term) != "dumb";
}

/// Whether to colour standard output: a screen, and no NO_COLOR (https://no-color.org).
inline bool shows_colours() {
  const char* const refused = std::getenv("NO_COLOR");
  return is_screen() && (!refused || *refused == '\0');
}

}  // namespace yatlab
