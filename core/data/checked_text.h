#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yatlab {

/// What UTF-8 text may begin with and says nothing: U+FEFF, the byte order mark.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Throws a data error unless `text` is UTF-8 without NUL characters: what it is instead (UTF-16, a packed or binary file, Latin text of one byte a
/// letter, damaged UTF-8), with line and column, and the command that converts it. `text` begins line `first_line` of the file `name`.
void check_utf8(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// The text of a file of rows, without a byte order mark. Data error as above, and for control characters other than tabs and line ends.
std::string_view checked_rows(std::string_view text, const std::string& name);

/// Why a text cannot name a class, which stands in tables, figures and JSON: "it is empty", "it is not UTF-8", "it holds a control character";
/// empty where it can.
std::string why_no_class_name(std::string_view name);

}  // namespace yatlab
