#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace yatlab {

/// Text that is safe for a terminal: control characters (except newline and tab), C1 characters, marks that reverse the writing direction and invalid
/// UTF-8 bytes are escaped ("\u001b"), so that no title, label or server message controls the terminal.
std::string for_terminal(std::string_view text);

/// A control sequence of this program, which `for_terminal` lets through: "[32m" (without ESC), or "\r". Foreign text cannot contain one, because
/// each process draws the mark in it at random.
std::string terminal_code(std::string_view sequence);

/// Writes `for_terminal` text to a standard stream and never throws, for work that must continue without a reader (a closed pipe, a full disk).
/// The stream's error stays set, and `main` reports it at the end.
void print_to(std::FILE* stream, std::string_view text) noexcept;
/// The same for output that other programs read: the exact bytes unless the stream is a terminal.
void print_data(std::FILE* stream, std::string_view bytes) noexcept;

/// Formats and prints like `fmt::print`, through print_to. To stdout:
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print_to(stdout, fmt::format(format, std::forward<Arguments>(arguments)...));
}
/// To stderr:
template <class... Arguments>
void say_error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print_to(stderr, fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace yatlab
