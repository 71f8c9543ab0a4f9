#include "core/record/job_history.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_number.h"
#include "core/base/json_text.h"
#include "core/base/manifest.h"

namespace yatlab {
namespace {

constexpr const char* kHistory = "metrics.jsonl";

}  // namespace

fs::path history_file(const fs::path& job_directory) { return job_directory / kHistory; }

std::string damage_of_history(const fs::path& job_directory) {
  const auto files = files_of_manifest(job_directory);
  if (!files) return is_there(job_directory / "manifest.json") ? "manifest.json cannot be read" : "";
  if (!files->contains(kHistory)) return is_there(job_directory / kHistory) ? "metrics.jsonl is not in manifest.json" : "";
  return damage_of(job_directory, *files, [](const std::string& name) { return name == kHistory; });
}

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
    const auto number = number_in(value);
    if (!number) continue;
    if (name == "step") {
      row.step = value.get<std::int64_t>();
    } else if (name == "epoch") {
      row.epoch = *number;
    } else if (name == "tokens") {
      row.tokens = static_cast<std::int64_t>(*number);
    } else {
      row.metrics[name] = *number;
    }
  }
  return row;
}

std::size_t each_row(const fs::path& job_directory, const std::function<bool(const MetricRow&)>& use) {
  const auto path = history_file(job_directory);
  if (!is_there(path)) return 0;
  std::size_t others = 0;
  read_lines(path, [&](const std::string& line) {
    if (const auto row = row_in(line)) return use(*row);
    others += !line.empty();
    return true;
  });
  return others;
}

void for_each_row(const fs::path& job_directory, const std::function<void(const MetricRow&)>& use) {
  const auto path = history_file(job_directory);
  if (const auto damage = damage_of_history(job_directory); !damage.empty()) {
    throw data_error("a job's history has changed since it was written", path.string(), damage,
                     "run its experiment's command again: it repeats the job");
  }
  each_row(job_directory, [&](const MetricRow& row) {
    use(row);
    return true;
  });
}

}  // namespace yatlab
