#include "core/plan/plan_jobs.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/compose/identity.h"
#include "core/compose/job_type.h"
#include "core/config/limits.h"
#include "core/config/yaml.h"

namespace yatlab {
namespace {

/// A job's folder name; long ones (sweeps over whole components) are cut and made unique by a hash.
std::string folder_name(const std::string& text) {
  constexpr std::size_t kLongest = 160;  // of the 255 bytes that file systems allow
  const auto name = safe_file_name(text);
  if (name.size() <= kLongest) return name;
  std::size_t cut = kLongest;
  while ((static_cast<unsigned char>(name[cut]) & 0xC0) == 0x80) --cut;  // not inside a character
  return name.substr(0, cut) + "-" + sha256(name).substr(0, 8);
}

/// Makes `config` share the subtrees that equal those in `before`, which is frozen.
void share(Node& config, const Node& before) {
  if (!config.is_map() || !before.is_map()) return;
  for (auto& [key, value] : config.as_map()) {
    const Node* same = before.find(key);
    if (!same) continue;
    if (value == *same) {
      value = *same;
    } else {
      share(value, *same);
    }
  }
}

/// The analyses of a training as jobs without seed, training and folder.
struct PlannedAnalysis {
  std::string folder;
  Node config;
  JobHashes hashes;
};

std::vector<PlannedAnalysis> planned_analyses(const FrozenArm& frozen) {
  std::map<std::string, int> of_name;
  for (const auto& spec : frozen.analyses.as_list()) ++of_name[spec.at("name").as_string()];
  std::vector<PlannedAnalysis> out;
  for (const auto& spec : frozen.analyses.as_list()) {
    Node config = Node::map(), trainer = Node::map();
    config.set("seed", 0);
    config.set("analysis", spec);
    for (const auto& [key, value] : frozen.config.at("trainer").as_map()) {
      if (analysis_job().follows_trainer(key)) trainer.set(key, value);
    }
    config.set("trainer", std::move(trainer));
    const auto name = spec.at("name").as_string();
    const JobHashes hashes(config, analysis_job());
    // Each of several analyses of one name gets its own folder, independent of the others.
    const auto own = of_name[name] == 1 ? "" : "-" + sha256(dump_json(to_json(spec))).substr(0, 8);
    config.freeze();
    out.push_back({"analyses/" + folder_name(name) + own, config, hashes});
  }
  return out;
}

/// The analyses, with one seed, of the training `job`.
std::vector<JobSpec> analyses_of(const JobSpec& job, const std::vector<PlannedAnalysis>& planned) {
  std::vector<JobSpec> out;
  out.reserve(planned.size());
  for (const auto& each : planned) {
    JobSpec analysis;
    analysis.type = &analysis_job();
    analysis.arm = job.arm;
    analysis.seed = job.seed;
    analysis.params = job.params;
    analysis.config = each.config;
    analysis.config.set("seed", job.seed);
    analysis.hash = sha256(job.hash + " " + each.hashes.of(job.seed));
    analysis.directory = job.directory + "/" + each.folder;
    analysis.trained = job.config;
    out.push_back(std::move(analysis));
  }
  return out;
}

}  // namespace

void too_many_jobs(const Plan& plan) {
  throw config_error(fmt::format("the plan has more than {} jobs", kMaxJobs), "",
                     fmt::format("{} arms, {} seeds, and the points of the sweep", plan.arms.size(), plan.seeds.size()),
                     "split it: seeds=range(0,1000), then seeds=range(1000,2000), ...");
}

void check_written_size(const Node& config, const std::string& what) {
  if (const auto bytes = emit_yaml(config).size(); bytes > limits::kText) {
    throw config_error(fmt::format("{}: its config has {} bytes when it is written out", what, bytes), "",
                       fmt::format("the limit is {}", limits::kText), "use fewer values, or interpolate shorter ones");
  }
}

void JobPlanner::add(const std::string& arm, const SweepPoint& point, const std::string& point_name, const FrozenArm& frozen,
                     const ProtocolChange& change) {
  const auto analyses = planned_analyses(frozen);
  for (const auto& part : frozen.parts) {
    if (plan_.jobs.size() + plan_.seeds.size() > kMaxJobs) too_many_jobs(plan_);
    Node config = frozen.config;
    if (!part.key.empty()) config.set(part.key, part.value);
    check_written_size(config, fmt::format("arm '{}'", arm));
    const JobHashes hashes(config, *frozen.type);
    if (!plan_.jobs.empty()) share(config, plan_.jobs.back().config);
    config.freeze();  // jobs share the common parts
    for (const auto seed : plan_.seeds) {
      JobSpec job;
      job.type = frozen.type;
      job.arm = arm;
      job.seed = seed;
      for (const auto& o : point) job.params.emplace_back(o.address(), o.value);
      job.config = config;
      job.resources = frozen.resources;
      job.config.set("seed", seed);
      std::string name = fmt::format("seed={}", seed) + point_name;
      if (!part.key.empty()) {
        job.part = part.key;
        job.params.emplace_back(part.key, part.value.at("name"));
        name += "," + part.key + "=" + part.value.at("name").as_string();
      }
      job.hash = hashes.of(seed);
      job.directory = "jobs/" + arm + "/" + folder_name(name);
      if (!directories_.insert(job.directory).second) job.directory += "-" + sha256(name).substr(0, 8);  // a/b and a_b give the same name
      job.analyses = analyses_of(job, analyses);
      job.changed_by = change.training;
      for (auto& analysis : job.analyses) {
        const auto own = change.analyses.find(analysis.config.at("analysis").at("name").as_string());
        if (own != change.analyses.end()) analysis.changed_by = own->second;
      }
      plan_.jobs.push_back(std::move(job));
    }
  }
}

}  // namespace yatlab
