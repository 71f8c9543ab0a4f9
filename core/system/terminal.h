#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>

namespace yatlab {

constexpr int kUsualWidth = 100;

/// Columns of the terminal that standard output is; 100 where it is a file or a pipe.
inline int terminal_width() {
  winsize size{};
  return ::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualWidth;
}

/// The same of what is not to be cut or broken in a file or a pipe: 0 there.
inline std::size_t width_to_keep() { return ::isatty(STDOUT_FILENO) == 1 ? static_cast<std::size_t>(terminal_width()) : 0; }

}  // namespace yatlab
