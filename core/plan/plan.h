#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/node.h"
#include "core/compose/plan_request.h"
#include "core/config/compose.h"
#include "core/plan/job_spec.h"
#include "core/record/run_view.h"

namespace yatlab {

/// All of an experiment's work, composed, checked and frozen before anything runs.
struct Plan {
  Node experiment;  ///< the composed experiment (resolved), without any arm's overrides
  Node config;      ///< the same as the run's config.yaml has it: of it the same jobs are planned
  std::string name, title;
  std::string scale;              ///< "" at full scale
  std::vector<std::string> arms;  ///< in the file's order
  std::vector<std::int64_t> seeds;
  std::vector<std::string> swept;               ///< keys of the sweep
  std::vector<MetricDoc> metrics;               ///< what is said of what the arms measure
  std::vector<std::string> overrides;           ///< as given on the command line
  std::vector<std::string> protocol_overrides;  ///< those by which some job is another than the file's
  std::vector<std::string> added_arms;          ///< those that the file does not have
  bool as_written = true;                       ///< arms, points and analyses are the file's at this scale (seeds may be others)
  std::deque<JobSpec> jobs;                     ///< those of a search are added to while it runs; they stay where they are
  std::optional<RunSearch> search;              ///< nothing where the points are a list
  std::size_t to_come = 0;                      ///< jobs that a search will add, as far as it is known
  std::vector<std::string> notices;             ///< overrides that did not apply to some arm, config warnings
  std::string hash;                             ///< of all jobs: their hashes and folders; of a search its identity

  /// Gives the experiment another value for one of its keys that no job follows.
  void set(const std::string& key, Node value);

  /// plan.json: the contract between runner and report.
  std::string to_json(const std::string& run_id) const;
};

class Search;
struct ArmNames;

/// What there is to run.
struct PlannedRun {
  std::shared_ptr<Plan> plan;
  std::shared_ptr<Search> search;                                   ///< adds to the plan as results come; null where nothing is searched
  std::shared_ptr<const std::map<std::string, ArmNames>> measured;  ///< what each arm will measure (check_arm.h)
};

/// Composes and checks everything; throws config errors that name file, line and remedy.
PlannedRun plan_run(const PlanRequest& request);
/// Its plan alone: of a search, the points that follow from no result.
Plan make_plan(const PlanRequest& request);

/// Leaves of a plan without a search only the jobs in these folders.
void keep_jobs(Plan& plan, const std::set<std::string>& directories);

/// The composition of one arm (or of the bare experiment when `arm` is empty), for `config` and
/// `--explain`. Overrides that a plan refuses for doing nothing are refused here too.
Composition compose_experiment(const PlanRequest& request, const std::string& arm);

}  // namespace yatlab
