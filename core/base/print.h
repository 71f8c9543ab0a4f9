#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace yatlab {

/// Text as a terminal may get it: control characters (but newline and tab), C1 characters, marks that reverse the direction of writing and bytes that
/// are not UTF-8 are written out ("\u001b"), so that no title, label or message of a server steers the terminal.
std::string for_terminal(std::string_view text);

/// A control sequence of our own, which `for_terminal` lets through: "[32m" (behind ESC), or "\r". No text of others is one: the mark in it is drawn
/// at random by each process.
std::string terminal_code(std::string_view sequence);

/// Writes text `for_terminal` to a standard stream and never throws, for what must go on when nobody reads (a pipe that was closed, a full disk).
/// What is lost is not forgotten: the stream's error stays set, and `main` says so at the end.
void print_to(std::FILE* stream, std::string_view text) noexcept;
/// The same for what another program reads, byte for byte unless the stream is a terminal.
void print_data(std::FILE* stream, std::string_view bytes) noexcept;

/// `fmt::print`, in that way. To stdout:
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
