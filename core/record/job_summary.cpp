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

Json use_json(const DatasetUse& data) {
  return {{"name", data.name},
          {"sha256", data.sha256},
          {"tier", data.tier},
          {"substituted_for", data.substituted_for.empty() ? Json() : Json(data.substituted_for)}};
}

DatasetUse use_of(const Json& json) {
  const auto text = [&](const char* key) { return yatlab::text_in(json, key); };
  return {text("name"), text("sha256"), text("tier"), text("substituted_for")};
}

}  // namespace

void write_job_summary(const fs::path& job, const JobSummary& summary) {
  Json metrics = Json::object();
  for (const auto& [name, value] : summary.metrics) metrics[name] = json_number(value);
  Json out{{"schema", 1}, {"hash", summary.hash}, {"status", to_string(summary.state.value())}, {"metrics", metrics}};
  if (summary.steps) out["steps"] = *summary.steps;
  if (summary.state == JobState::kDiverged) out["why"] = summary.why;
  if (summary.dataset) out["dataset"] = use_json(*summary.dataset);
  for (const auto& other : summary.others) out["other_datasets"].push_back(use_json(other));
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
  if (const auto data = json.find("dataset"); data != json.end() && data->is_object()) out.dataset = use_of(*data);
  if (const auto others = json.find("other_datasets"); others != json.end() && others->is_array()) {
    for (const auto& other : *others) {
      if (other.is_object()) out.others.push_back(use_of(other));
    }
  }
  return out;
}

}  // namespace yatlab
