#include "core/experiment/history.h"

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/experiment/job_files.h"
#include "core/report/job_history.h"

namespace yatlab {

nlohmann::ordered_json to_json(const MetricRow& row) {
  nlohmann::ordered_json out{{"step", row.step}};
  const bool whole = row.epoch == std::floor(row.epoch) && row.epoch < 1e15;
  out["epoch"] = whole ? nlohmann::ordered_json(static_cast<std::int64_t>(row.epoch)) : nlohmann::ordered_json(row.epoch);
  if (row.tokens) out["tokens"] = *row.tokens;
  for (const auto& [name, value] : row.metrics) out[name] = json_number(value);
  return out;
}

std::optional<MetricRow> row_in(const std::string& line) {
  if (!why_unbounded(line).empty()) return std::nullopt;
  const auto json = parse_ordered_json(line, false);
  if (!json.is_object() || !json.contains("step") || !json.at("step").is_number_integer()) return std::nullopt;
  MetricRow row;
  for (const auto& [name, value] : json.items()) {
    // NaN and infinities travel as text.
    const double number = value.is_number()   ? value.get<double>()
                          : value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr)
                                              : 0;
    if (name == "step") {
      row.step = value.get<std::int64_t>();
    } else if (name == "epoch") {
      row.epoch = number;
    } else if (name == "tokens") {
      row.tokens = static_cast<std::int64_t>(number);
    } else if (value.is_number() || value.is_string()) {
      row.metrics[name] = number;
    }
  }
  return row;
}

void for_each_row(const fs::path& job_directory, const std::function<void(const MetricRow&)>& use) {
  const auto path = history_file(job_directory);
  if (const auto damage = damage_of_history(job_directory); !damage.empty()) {
    throw data_error("a job's history is not what it wrote", path.string(), damage,
                     "its experiment's command, given again, does the job again");
  }
  if (!is_there(path)) return;
  const auto text = read_file(path);
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != text.npos; at = end + 1) {
    const auto row = row_in(text.substr(at, end - at));
    if (!row) return;
    use(*row);
  }
}

}  // namespace yatlab
