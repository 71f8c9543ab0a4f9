#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace yatlab {

/// A table of text: every row has as many fields as there are columns.
struct CsvTable {
  std::vector<std::string> columns;            ///< their names; "0", "1", ... without a header
  std::vector<std::vector<std::string>> rows;  ///< without blanks around fields
  std::vector<std::int64_t> lines;             ///< where each row ends in the file, from 1
};

/// Comma-separated values as RFC 4180 has them: quoted fields may hold separators, quotes ("") and line ends. `name` is what errors call it. Data
/// error, with the line, for a row with another number of fields, an open quote, a column without a name or with another's.
CsvTable parse_csv(std::string_view text, const std::string& name, char separator = ',', bool header = true);

/// A file of them, also gzip, xz or zstd.
CsvTable read_csv(const std::filesystem::path& path, char separator = ',', bool header = true);

}  // namespace yatlab
