#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/compose/identity.h"
#include "core/plan/plan.h"
#include "core/verdict/metric_docs.h"

namespace yatlab {

std::string Plan::to_json(const std::string& run_id) const {
  nlohmann::ordered_json j{{"schema", 1}, {"experiment", name}, {"run_id", run_id}, {"title", title}};
  j["scale"] = scale.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(scale);
  j["hash"] = hash;
  j["code"] = code_hash();
  j["arms"] = arms;
  j["seeds"] = seeds;
  j["swept"] = swept;
  j["metrics"] = metric_docs_json(metrics);
  if (search) {
    j["search"] = {{"method", search->method},
                   {"metric", search->metric},
                   {"better", search->higher ? "higher" : "lower"},
                   {"trials", search->trials}};
  }
  j["overrides"] = overrides;
  j["protocol_overrides"] = protocol_overrides;
  j["as_written"] = as_written;
  if (!added_arms.empty()) j["added_arms"] = added_arms;
  j["jobs"] = nlohmann::ordered_json::array();
  for (const auto& job : jobs) {
    nlohmann::ordered_json params = nlohmann::ordered_json::object();
    for (const auto& [key, value] : job.params) params[key] = yatlab::to_json(value);
    j["jobs"].push_back({{"arm", job.arm}, {"seed", job.seed}, {"params", params}, {"hash", job.hash}, {"dir", job.directory}});
    if (!job.changed_by.empty()) j["jobs"].back()["changed_by"] = job.changed_by;
    for (const auto& analysis : job.analyses) {
      j["jobs"].back()["analyses"].push_back(
          {{"name", analysis.config.at("analysis").at("name").as_string()}, {"hash", analysis.hash}, {"dir", analysis.directory}});
      if (!analysis.changed_by.empty()) j["jobs"].back()["analyses"].back()["changed_by"] = analysis.changed_by;
    }
  }
  return dump_json(j, 2) + "\n";
}

}  // namespace yatlab
