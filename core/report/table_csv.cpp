#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/report/table_parts.h"

namespace yatlab {
namespace {

std::string csv_number(double v) { return std::isnan(v) ? "" : format_double(v); }
std::string csv_number(const std::optional<double>& v) { return v ? csv_number(*v) : ""; }

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string to_csv(const Table& table) {
  std::vector<std::string> head = {"table", "arm"};
  for (const auto& name : table.swept) head.push_back(name);
  for (const char* name : {"metric", "n", "mean", "std", "ci95_low", "ci95_high", "paper", "difference", "tolerance",
                           "verdict", "why", "best", "seeds", "values", "jobs", "run"}) {
    head.emplace_back(name);
  }
  std::string out;
  const auto write = [&](const std::vector<std::string>& fields) {
    std::vector<std::string> quoted;
    for (const auto& field : fields) quoted.push_back(csv_field(field));
    out += join(quoted, ",") + "\r\n";
  };
  write(head);
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const TableCell& cell = row.cells[c];
      std::vector<std::string> fields = {table.id, row.arm};
      for (const auto& name : table.swept) {
        const auto at =
            std::find_if(row.point.begin(), row.point.end(), [&](const auto& entry) { return entry.first == name; });
        std::string value;
        if (at != row.point.end()) {
          value = at->second.is_string() ? at->second.as_string() : at->second.to_flow();
        }
        fields.push_back(std::move(value));
      }
      fields.push_back(table.columns[c].metric);
      fields.push_back(std::to_string(cell.sample.values.size()));
      fields.push_back(csv_number(cell.mean));
      fields.push_back(csv_number(cell.std));
      fields.push_back(cell.ci95 ? csv_number(cell.ci95->low) : "");
      fields.push_back(cell.ci95 ? csv_number(cell.ci95->high) : "");
      fields.push_back(cell.paper ? csv_number(cell.paper->number.value) : "");
      fields.push_back(cell.paper ? csv_number(cell.paper->difference) : "");
      fields.push_back(cell.paper ? csv_number(cell.paper->number.tolerance) : "");
      fields.emplace_back(cell.paper ? to_string(cell.paper->judgement.verdict) : "");
      fields.push_back(cell.paper ? cell.paper->judgement.why : "");
      fields.emplace_back(cell.bold ? "yes" : "");
      std::vector<std::string> seeds, values;
      for (auto seed : cell.sample.seeds) seeds.push_back(std::to_string(seed));
      for (double v : cell.sample.values) values.push_back(format_double(v));
      fields.push_back(join(seeds, ";"));
      fields.push_back(join(values, ";"));
      fields.push_back(join(cell.sample.jobs, ";"));
      fields.push_back(table.run_id);
      write(fields);
    }
  }
  return out;
}

}  // namespace yatlab
