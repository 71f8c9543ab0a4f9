#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace yatlab {

/// A table of text: every row has one field per column.
struct CsvTable {
  std::vector<std::string> columns;            ///< names, "" where the header has none; "0", "1", ... without a header
  std::vector<std::vector<std::string>> rows;  ///< without blanks around fields
  std::vector<std::int64_t> lines;             ///< the line where each row ends in the file, from 1
};

/// Comma-separated values according to RFC 4180: quoted fields may contain separators, quotes ("") and line ends. `name` is used in error messages.
/// Data error, with the line, for a row with another number of fields, a quote that is not closed or is inside a field, a duplicate column name, and
/// whatever `checked_rows` refuses.
CsvTable parse_csv(std::string_view text, const std::string& name, char separator = ',', bool header = true);

/// The separator of a text's first rows: of comma, semicolon, tab and '|', the one that occurs equally often outside quotes in each row; 0 where none
/// or several do.
char separator_in(std::string_view text);

}  // namespace yatlab
