#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace yatlab {

/// Position of the first byte that is not well-formed UTF-8, or npos.
std::size_t first_invalid_utf8(std::string_view text);

/// Number of characters (code points) in `utf8`.
std::size_t count_characters(std::string_view utf8);

/// A message that quotes foreign text, with `visible` applied to each of its lines: line ends and tabs stay.
std::string visible_lines(std::string_view text);

}  // namespace yatlab
