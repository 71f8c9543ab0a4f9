#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

namespace yatlab {

constexpr int kUsualWidth = 100;

/// Columns of the terminal that standard output is; 100 where it is a file or a pipe.
inline int terminal_width() {
  winsize size{};
  return ::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualWidth;
}

}  // namespace yatlab
