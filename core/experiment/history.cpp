#include "core/experiment/history.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/experiment/job_files.h"

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
  const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
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
  std::ifstream in(job_directory / "metrics.jsonl", std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    const auto row = row_in(line);
    if (!row) return;
    use(*row);
  }
}

}  // namespace yatlab
