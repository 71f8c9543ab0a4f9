#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace yatlab {

/// A table of text: every row has as many fields as there are columns.
struct CsvTable {
  std::vector<std::string> columns;            ///< their names, "" where the header has none; "0", "1", ... without a header
  std::vector<std::vector<std::string>> rows;  ///< without blanks around fields
  std::vector<std::int64_t> lines;             ///< where each row ends in the file, from 1
};

/// Comma-separated values as RFC 4180 has them: quoted fields may hold separators, quotes ("") and line ends. `name` is what errors call it. Data
/// error, with the line, for a row with another number of fields, a quote that is open or stands inside a field, a column with another's name, and
/// what `checked_rows` refuses.
CsvTable parse_csv(std::string_view text, const std::string& name, char separator = ',', bool header = true);

/// What divides the fields of the first rows of a text: of comma, semicolon, tab and '|' outside quotes the one that is there as often in each of them;
/// 0 where none or several are.
char separator_in(std::string_view text);

}  // namespace yatlab
