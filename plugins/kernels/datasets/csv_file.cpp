#include "plugins/kernels/datasets/csv_file.h"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/data/checked_text.h"

namespace yatlab {
namespace {

/// The state of the parser's callbacks. Exceptions must not pass through C code, so errors are stored until it returns.
struct Collected {
  CsvTable table;
  std::vector<std::string> row;
  std::int64_t line = 1;  // of the text being parsed
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
      std::unordered_set<std::string_view> seen;
      for (std::size_t i = 0; i < row.size(); ++i) {
        auto& column = table.columns[i];
        if (!header) column = std::to_string(i);
        if (!column.empty() && !seen.insert(column).second) refuse(fmt::format("two columns are called '{}'", shortened(column, 60)));
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

CsvTable parse_csv(std::string_view bytes, const std::string& name, char separator, bool header) {
  auto text = checked_rows(bytes, name);
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  const std::unique_ptr<csv_parser, void (*)(csv_parser*)> freed(&parser, csv_free);
  csv_set_delim(&parser, static_cast<unsigned char>(separator));
  Collected out;
  out.header = header;
  const auto field = [](void* characters, std::size_t size, void* to) {
    static_cast<Collected*>(to)->row.emplace_back(static_cast<const char*>(characters), size);
  };
  const auto row = [](int, void* to) { static_cast<Collected*>(to)->end_of_row(); };
  const auto error = [&](const std::string& why, std::int64_t line, std::size_t column = 0) {
    return data_error("not a table of comma-separated values", fmt::format("{}:{}{}", name, line, column ? fmt::format(":{}", column) : ""),
                      why, "every row needs as many fields as the first; fields with separators, quotes or line breaks must be quoted");
  };
  while (!text.empty()) {  // line by line, to know the line of an error
    const auto end = std::min(text.size(), text.find('\n') == std::string_view::npos ? text.size() : text.find('\n') + 1);
    if (const auto parsed = csv_parse(&parser, text.data(), end, field, row, &out); parsed != end) {
      if (csv_error(&parser) != CSV_EPARSE) throw error(csv_strerror(csv_error(&parser)), out.line);
      throw error(text[parsed] == '"' ? "a quote inside an unquoted field" : "unexpected text after the closing quote of a field", out.line,
                  count_characters(text.substr(0, parsed)) + 1);
    }
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

char separator_in(std::string_view text) {
  constexpr std::string_view kSeparators = ",;\t|";
  constexpr std::size_t kRows = 10;
  std::array<std::size_t, kSeparators.size()> here{}, first{};
  std::array<bool, kSeparators.size()> steady{};
  std::size_t rows = 0;
  bool quoted = false, begun = false;
  const auto end_row = [&] {
    for (std::size_t k = 0; k < here.size(); ++k) {
      if (rows == 0) first[k] = here[k];
      steady[k] = (rows == 0 || steady[k]) && here[k] > 0 && here[k] == first[k];
    }
    here = {};
    begun = false;
    ++rows;
  };
  for (std::size_t i = 0; i < text.size() && rows < kRows; ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '\n' || c == '\r')) {
      if (begun) end_row();
      continue;
    }
    begun = true;
    if (const auto k = kSeparators.find(c); !quoted && k != std::string_view::npos) ++here[k];
  }
  if (begun && rows < kRows) end_row();
  if (std::count(steady.begin(), steady.end(), true) != 1) return 0;
  return kSeparators[static_cast<std::size_t>(std::find(steady.begin(), steady.end(), true) - steady.begin())];
}

}  // namespace yatlab
