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
  Node experiment;  ///< the composed experiment (resolved), without the overrides of any arm
  Node config;      ///< the same as in the run's config.yaml: planning from it gives the same jobs
  std::string name, title;
  std::string scale;              ///< "" at full scale
  std::vector<std::string> arms;  ///< in the file's order
  std::vector<std::int64_t> seeds;
  std::vector<std::string> swept;               ///< keys of the sweep
  std::vector<MetricDoc> metrics;               ///< descriptions of the metrics that the arms measure
  std::vector<std::string> overrides;           ///< as given on the command line
  std::vector<std::string> protocol_overrides;  ///< those that make some job differ from the file's
  std::vector<std::string> added_arms;          ///< arms that the file does not have
  bool as_written = true;                       ///< arms, points and analyses are the file's at this scale (seeds may be others)
  std::deque<JobSpec> jobs;                     ///< a search appends to it while it runs; elements keep their addresses
  std::optional<RunSearch> search;              ///< empty where the points are a list
  std::size_t to_come = 0;                      ///< jobs that a search will add, as far as known
  std::vector<std::string> notices;             ///< overrides that did not apply to some arm, config warnings
  std::string hash;                             ///< hash over the hashes and folders of all jobs; for a search, over its identity

  /// Sets a key of the experiment that no job depends on.
  void set(const std::string& key, Node value);

  /// plan.json: the contract between runner and report.
  std::string to_json(const std::string& run_id) const;
};

class Search;
struct ArmNames;

/// A plan, with its search.
struct PlannedRun {
  std::shared_ptr<Plan> plan;
  std::shared_ptr<Search> search;                                   ///< adds to the plan as results come; null without a search
  std::shared_ptr<const std::map<std::string, ArmNames>> measured;  ///< what each arm will measure (check_arm.h)
};

/// Composes and checks everything; throws config errors that name file, line and remedy.
PlannedRun plan_run(const PlanRequest& request);
/// The plan alone; for a search, with the points that depend on no result.
Plan make_plan(const PlanRequest& request);

/// Removes from a plan without a search all jobs but those in these folders.
void keep_jobs(Plan& plan, const std::set<std::string>& directories);

/// The composition of one arm (or of the bare experiment when `arm` is empty), for `config` and `--explain`. Overrides without effect are errors
/// here, as in a plan.
Composition compose_experiment(const PlanRequest& request, const std::string& arm);

}  // namespace yatlab
