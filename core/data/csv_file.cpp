#include "core/data/csv_file.h"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/byte_stream.h"

namespace yatlab {
namespace {

/// What the parser calls back: C knows no exceptions, so that faults are kept until it returns.
struct Collected {
  CsvTable table;
  std::vector<std::string> row;
  std::int64_t line = 1;  // of what is parsed now
  bool header = true, begun = false;
  std::string fault;
  std::int64_t fault_line = 0;

  void refuse(std::string what) {
    if (fault.empty()) {
      fault = std::move(what);
      fault_line = line;
    }
  }
  void end_of_row() {
    if (!begun) {
      begun = true;
      table.columns = header ? row : std::vector<std::string>(row.size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        auto& column = table.columns[i];
        if (!header) column = std::to_string(i);
        if (column.empty()) refuse(fmt::format("column {} has no name", i + 1));
        if (std::count(table.columns.begin(), table.columns.end(), column) > 1) refuse(fmt::format("two columns are called '{}'", column));
      }
      if (header) return row.clear();
    }
    if (row.size() != table.columns.size()) {
      refuse(fmt::format("{} field{}, {} has {}", row.size(), row.size() == 1 ? "" : "s", header ? "the header" : "the first row",
                         table.columns.size()));
    }
    table.rows.push_back(std::move(row));
    table.lines.push_back(line);
    row.clear();
  }
};

}  // namespace

CsvTable parse_csv(std::string_view text, const std::string& name, char separator, bool header) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";  // that spreadsheets put before UTF-8
  if (text.substr(0, kMark.size()) == kMark) text.remove_prefix(kMark.size());
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  const std::unique_ptr<csv_parser, void (*)(csv_parser*)> freed(&parser, csv_free);
  csv_set_delim(&parser, static_cast<unsigned char>(separator));
  Collected out;
  out.header = header;
  const auto field = [](void* bytes, std::size_t size, void* to) {
    static_cast<Collected*>(to)->row.emplace_back(static_cast<const char*>(bytes), size);
  };
  const auto row = [](int, void* to) { static_cast<Collected*>(to)->end_of_row(); };
  const auto error = [&](const std::string& why, std::int64_t line) {
    return data_error("not a table of comma-separated values", fmt::format("{}:{}", name, line), why,
                      "every row needs as many fields as the first; what holds separators, quotes or line ends is quoted");
  };
  while (!text.empty()) {  // line by line, to know where
    const auto end = std::min(text.size(), text.find('\n') == std::string_view::npos ? text.size() : text.find('\n') + 1);
    if (csv_parse(&parser, text.data(), end, field, row, &out) != end) throw error(csv_strerror(csv_error(&parser)), out.line);
    if (!out.fault.empty()) throw error(out.fault, out.fault_line);
    text.remove_prefix(end);
    ++out.line;
  }
  out.line = std::max<std::int64_t>(1, out.line - 1);
  if (csv_fini(&parser, field, row, &out) != 0) throw error("a quote is not closed", out.line);
  if (!out.fault.empty()) throw error(out.fault, out.fault_line);
  if (!out.begun) throw data_error(fmt::format("'{}' is empty", name));
  return std::move(out.table);
}

CsvTable read_csv(const std::filesystem::path& path, char separator, bool header) {
  return parse_csv(read_unpacked(path), path.string(), separator, header);
}

}  // namespace yatlab
