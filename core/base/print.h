#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

namespace yatlab {

/// Writes to a standard stream and never throws, for what must go on when nobody reads (a pipe that was closed, a full disk). What is
/// lost is not forgotten: the stream's error stays set, and `main` says so at the end.
inline void print_to(std::FILE* stream, std::string_view text) noexcept { std::fwrite(text.data(), 1, text.size(), stream); }

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
