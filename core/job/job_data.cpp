#include "core/job/job_data.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/job/loaded_data.h"
#include "core/plan/plan.h"
#include "core/record/job_file.h"
#include "core/record/job_status.h"
#include "core/record/job_summary.h"
#include "core/record/run_view.h"

namespace yatlab {
namespace {

std::string in_short(const std::string& sha256) { return sha256.substr(0, 12); }

/// "mnist (sha256 0123...)", with the name from the job's summary if there is one.
std::string recorded_name(const fs::path& directory, const std::string& sha256) {
  const auto summary = read_job_summary(directory);
  const auto name = summary && summary->dataset ? summary->dataset->name : "data";
  return fmt::format("{} (sha256 {}...)", name, in_short(sha256));
}

}  // namespace

std::string other_data(const Node* dataset, const fs::path& directory, DataCache& data) {
  if (!dataset) return {};
  const auto status = read_job_status(directory);
  if (!status.intact || status.dataset_sha256.empty()) return {};
  const auto& here = data.get(*dataset)->dataset->provenance();
  if (status.dataset_sha256 == here.sha256) return {};
  return fmt::format("it was started with {}, but here '{}' is {} (sha256 {}...{})", recorded_name(directory, status.dataset_sha256),
                     dataset->at("name").as_string(), here.name, in_short(here.sha256),
                     here.substituted_for.empty() ? "" : ", a substitute");
}

std::string data_changed(const Plan& plan, const fs::path& run, DataCache& data) {
  std::set<std::string> known;
  const auto look_at = [&](const Node* dataset, const std::string& directory) {
    known.insert(directory);
    auto why = other_data(dataset, run / directory, data);
    return why.empty() ? why : fmt::format("{}: {}", directory, why);
  };
  for (const auto& job : plan.jobs) {
    if (auto why = look_at(job.dataset(), job.directory); !why.empty()) return why;
    for (const auto& analysis : job.analyses) {
      if (auto why = look_at(analysis.dataset(), analysis.directory); !why.empty()) return why;
    }
  }
  if (plan.to_come == 0) return {};
  for (const auto& job : RunView::planned(run).jobs) {
    if (known.count(job.directory) > 0 || !is_job_folder(run / job.directory)) continue;
    const auto config = read_job_file(run / job.directory).config;
    if (auto why = look_at(config.find("dataset"), job.directory); !why.empty()) return why;
  }
  return {};
}

void require_same_data(const JobSpec& job, const fs::path& directory, DataCache& data) {
  if (const auto why = other_data(job.dataset(), directory, data); !why.empty()) {
    throw data_error("a job cannot continue with different data", directory.string(), why,
                     "put its data back ('yatlab data list' shows where data is searched for), or run the experiment's command, which "
                     "starts a new run with the data that is here");
  }
}

}  // namespace yatlab
