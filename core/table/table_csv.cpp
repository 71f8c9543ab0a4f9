#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/table/table_parts.h"

namespace yatlab {
namespace {

nlohmann::ordered_json number_or_null(double v) { return std::isnan(v) ? nlohmann::ordered_json() : nlohmann::ordered_json(v); }
nlohmann::ordered_json number_or_null(const std::optional<double>& v) { return v ? number_or_null(*v) : nlohmann::ordered_json(); }

// A range becomes a list.
nlohmann::ordered_json paper_cell(const Interval& paper) {
  if (paper.width() == 0) return paper.low;
  return format_double(paper.low) + ";" + format_double(paper.high);
}

std::string csv_text(const nlohmann::ordered_json& cell) {
  if (cell.is_null()) return "";
  if (cell.is_string()) return cell.get<std::string>();
  return cell.is_number_float() ? format_double(cell.get<double>()) : dump_json(cell);
}

}  // namespace

TableData table_data(const Table& table) {
  TableData out;
  out.columns = {"table", "arm"};
  for (const auto& name : table.swept) out.columns.push_back(name);
  for (const char* name : {"metric", "n", "mean", "std", "ci95_low", "ci95_high", "paper", "difference", "tolerance", "verdict", "why",
                           "best", "seeds", "values", "jobs", "run"}) {
    out.columns.emplace_back(name);
  }
  // Only if there are some: other tables keep the usual columns.
  const bool lost = std::any_of(table.rows.begin(), table.rows.end(), [](const TableRow& row) {
    return std::any_of(row.cells.begin(), row.cells.end(), [](const TableCell& cell) { return !cell.sample.not_finite.empty(); });
  });
  if (lost) out.columns.emplace_back("not_finite");
  const bool samples = std::any_of(table.rows.begin(), table.rows.end(), [](const TableRow& row) {
    return std::any_of(row.cells.begin(), row.cells.end(), [](const TableCell& cell) { return cell.paper && cell.paper->number.sample; });
  });
  if (samples) out.columns.insert(out.columns.end(), {"paper_std", "paper_n"});
  const auto seeds_text = [](const std::vector<std::int64_t>& seeds) {
    std::vector<std::string> texts;
    for (const auto seed : seeds) texts.push_back(std::to_string(seed));
    return join(texts, ";");
  };
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const TableCell& cell = row.cells[c];
      auto cells = nlohmann::ordered_json::array({table.id, row.arm});
      for (const auto& name : table.swept) {
        const auto at = std::find_if(row.point.begin(), row.point.end(), [&](const auto& entry) { return entry.first == name; });
        if (at == row.point.end()) {
          cells.push_back(nullptr);
        } else if (at->second.is_string() || at->second.is_list() || at->second.is_map()) {
          cells.push_back(at->second.is_string() ? at->second.as_string() : at->second.to_flow());
        } else {
          cells.push_back(to_json(at->second));
        }
      }
      cells.push_back(table.columns[c].metric);
      cells.push_back(cell.sample.values.size());
      cells.push_back(number_or_null(cell.mean));
      cells.push_back(number_or_null(cell.std));
      cells.push_back(cell.ci95 ? number_or_null(cell.ci95->low) : nullptr);
      cells.push_back(cell.ci95 ? number_or_null(cell.ci95->high) : nullptr);
      cells.push_back(cell.paper ? paper_cell(cell.paper->number.value) : nullptr);
      cells.push_back(cell.paper ? number_or_null(cell.paper->difference) : nullptr);
      cells.push_back(cell.paper ? number_or_null(cell.paper->number.tolerance) : nullptr);
      cells.push_back(cell.paper ? verdict_name(cell.paper->judgement) : "");
      cells.push_back(cell.paper ? cell.paper->judgement.why : "");
      cells.push_back(cell.bold ? "yes" : "");
      std::vector<std::string> values;
      for (double v : cell.sample.values) values.push_back(format_double(v));
      cells.push_back(seeds_text(cell.sample.seeds));
      cells.push_back(join(values, ";"));
      cells.push_back(join(cell.sample.jobs, ";"));
      cells.push_back(table.run_id);
      if (lost) cells.push_back(seeds_text(cell.sample.not_finite));
      if (samples) {
        const auto printed = cell.paper ? cell.paper->number.sample : std::nullopt;
        cells.push_back(printed ? number_or_null(printed->summary.std) : nullptr);
        cells.push_back(printed ? nlohmann::ordered_json(printed->summary.n) : nlohmann::ordered_json());
      }
      out.rows.push_back(std::move(cells));
    }
  }
  return out;
}

std::string to_csv(const TableData& data) {
  std::string out;
  const auto write = [&](const std::vector<std::string>& fields) {
    std::vector<std::string> quoted;
    for (const auto& field : fields) quoted.push_back(csv_field(field));
    out += join(quoted, ",") + "\r\n";
  };
  write(data.columns);
  for (const auto& row : data.rows) {
    std::vector<std::string> fields;
    for (const auto& cell : row) fields.push_back(csv_text(cell));
    write(fields);
  }
  return out;
}

std::string to_csv(const Table& table) { return to_csv(table_data(table)); }

}  // namespace yatlab
