#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yatlab {

/// The optional first character of UTF-8 text, without meaning: U+FEFF, the byte order mark.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Throws a data error unless `text` is UTF-8 without NUL characters. The error says what it is instead (UTF-16, a packed or binary file, one-byte
/// Latin text, damaged UTF-8), gives line and column, and the command that converts it. `text` begins at line `first_line` of the file `name`.
void check_utf8(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// The text of a table file without a byte order mark. Data error as above, and for control characters other than tabs and line ends.
std::string_view checked_rows(std::string_view text, const std::string& name);

/// Why a text cannot be a class name, which appears in tables, figures and JSON: "it is empty", "it is not UTF-8", "it holds a control character";
/// empty if it can.
std::string why_no_class_name(std::string_view name);

}  // namespace yatlab
