#include "core/record/job_summary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_number.h"
#include "core/base/json_text.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSummaryFile = "summary.json";

}  // namespace

void write_job_summary(const fs::path& job, const JobSummary& summary) {
  Json metrics = Json::object();
  for (const auto& [name, value] : summary.metrics) metrics[name] = json_number(value);
  Json out{{"schema", 1}, {"hash", summary.hash}, {"status", to_string(summary.state.value())}, {"metrics", metrics}};
  if (summary.steps) out["steps"] = *summary.steps;
  if (summary.state == JobState::kDiverged) out["why"] = summary.why;
  if (summary.dataset) {
    const auto& data = *summary.dataset;
    out["dataset"] = {{"name", data.name},
                      {"sha256", data.sha256},
                      {"tier", data.tier},
                      {"substituted_for", data.substituted_for.empty() ? Json() : Json(data.substituted_for)}};
  }
  if (!summary.verdict.empty()) out["verdict"] = summary.verdict;
  // Messages of other libraries may be invalid UTF-8.
  write_file_atomic(job / kSummaryFile, dump_json_replacing(out, 2) + "\n");
}

std::optional<JobSummary> read_job_summary(const fs::path& job, std::string* problem) {
  const auto path = job / kSummaryFile;
  if (!is_there(path)) return std::nullopt;
  const auto unusable = [&](const std::string& why) {
    if (problem) *problem = why;
    return std::nullopt;
  };
  Json json;
  try {
    json = parse_ordered_json(read_json_text(path));
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kFile) throw;
    return unusable(fmt::format("{} cannot be read: {}", path.string(), e.what()));
  } catch (const nlohmann::json::exception& e) {
    return unusable(fmt::format("{} cannot be read: {}", path.string(), e.what()));
  }
  if (!json.is_object()) return unusable(path.string() + " does not contain a JSON object");
  JobSummary out;
  out.hash = text_in(json, "hash");
  out.state = job_state(text_in(json, "status"));
  out.why = text_in(json, "why");
  out.verdict = text_in(json, "verdict");
  if (const auto steps = json.find("steps"); steps != json.end() && steps->is_number_integer()) out.steps = steps->get<std::int64_t>();
  if (const auto metrics = json.find("metrics"); metrics != json.end() && metrics->is_object()) {
    for (const auto& [name, value] : metrics->items()) {
      if (const auto number = number_in(value)) out.metrics[name] = *number;
    }
  }
  if (const auto data = json.find("dataset"); data != json.end() && data->is_object())
    out.dataset = DatasetUse{text_in(*data, "name"), text_in(*data, "sha256"), text_in(*data, "tier"), text_in(*data, "substituted_for")};
  return out;
}

}  // namespace yatlab
