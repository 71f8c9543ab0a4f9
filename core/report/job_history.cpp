#include "core/report/job_history.h"

#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/manifest.h"

namespace yatlab {
namespace {

constexpr const char* kHistory = "metrics.jsonl";

}  // namespace

fs::path history_file(const fs::path& job_directory) { return job_directory / kHistory; }

std::string damage_of_history(const fs::path& job_directory) {
  const auto path = job_directory / "manifest.json";
  if (!is_there(path)) return {};
  const auto manifest = parse_json(read_json_text(path), false);
  if (!manifest.is_object() || !manifest.contains("files")) return "manifest.json cannot be read";
  const auto& files = manifest.at("files");
  if (!files.is_object() || !files.contains(kHistory))
    return is_there(job_directory / kHistory) ? "metrics.jsonl is not in manifest.json" : "";
  return damage_of(job_directory, files, [](const std::string& name) { return name == kHistory; });
}

}  // namespace yatlab
