#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/metric_doc.h"
#include "core/base/node.h"
#include "core/record/job_status.h"
#include "core/record/job_summary.h"
#include "core/record/made_with.h"
#include "core/verdict/document_difference.h"

namespace yatlab {

/// A job as recorded in its folder, with its analyses: their metrics count as the job's, and it is finished when they are.
struct JobView {
  std::string arm;
  std::int64_t seed = 0;
  Node::Map params;  ///< the sweep point
  std::string hash;
  std::string directory;  ///< relative to the run; also the job's id in reports
  struct Analysis {
    std::string directory;  ///< relative to the run
    std::string hash;
    std::vector<std::string> changed_by = {};  ///< overrides that set other parameters than the experiment's file
  };
  std::vector<Analysis> analyses;
  std::vector<std::string> changed_by;                                 ///< overrides that make it differ from the file's job
  std::map<std::string, std::vector<std::string>> measured_otherwise;  ///< metric -> overrides, where only an analysis differs
  JobState state = JobState::kPlanned;
  std::string error;
  std::int64_t steps = 0;
  double wall_s = 0;
  std::map<std::string, double> metrics;  ///< finite and non-finite ones; empty until finished
  std::optional<DatasetUse> dataset;
  std::vector<DatasetUse> others = {};  ///< further data sets that its analyses read

  bool finished() const { return is_finished(state); }
};

/// Values of one metric over the seeds of one arm at one point.
struct Sample {
  std::vector<std::int64_t> seeds;       ///< of `values`, ascending
  std::vector<double> values;            ///< finite ones of completed jobs
  std::vector<std::string> jobs;         ///< folders of `values`
  std::vector<std::int64_t> not_finite;  ///< seeds of completed jobs with a NaN or infinite value
  std::size_t planned = 0, diverged = 0, failed = 0, unfinished = 0;

  /// Whether the mean covers only some seeds, because others diverged or have no finite value.
  bool only_survivors() const { return diverged > 0 || !not_finite.empty(); }
  bool none_finite() const { return values.empty() && !not_finite.empty(); }
};

/// "not finite for 5 of 12 seeds"; "" if every value is finite.
std::string not_finite_text(const Sample& sample);

/// The values of the seeds in both samples, in the same order.
std::pair<std::vector<double>, std::vector<double>> paired(const Sample& a, const Sample& b);

/// A difference over documents from a recorded summary, for jobs whose artifacts are not present.
struct RecordedDifference {
  std::string metric, arm, baseline;
  std::string contrast;             ///< its name; replaces the arms
  Node::Map point, baseline_point;  ///< baseline_point: empty if it is the same
  DocumentDifference over;
};

/// Which files of a finished job are checked against its manifest before its numbers are shown.
enum class JobCheck {
  kResults,  ///< all files but checkpoints
  kSummary,  ///< only summary.json, which has the numbers: cheap even for thousands of jobs
};

/// Fills in the recorded results and state of a job in `run`. Adds a warning for each file that cannot be read or was changed.
void read_job(const fs::path& run, JobView& job, JobCheck check, std::vector<std::string>& warnings);

/// The state of a job and its analyses as seen from outside (see observed_state of job_status.h); `why` is set to the error of the decisive one.
JobState observed_state(const fs::path& run, const JobView& job, std::int64_t now, std::string* why = nullptr);

/// The analyses in a job's folder, if there is no plan.
std::vector<JobView::Analysis> analyses_in(const fs::path& run, const std::string& job_directory);

/// The search that chose a run's points.
struct RunSearch {
  std::string method;  ///< "tpe"
  std::string metric;
  bool higher = false;      ///< whether higher values are better
  std::int64_t trials = 0;  ///< for each arm, as far as requested
};

/// The resolved config.yaml of a run.
Node read_run_config(const fs::path& directory);

/// A run directory, read once; missing or incomplete job files leave the job as planned.
class RunView {
 public:
  /// Throws a data error if `directory` has no readable plan.json or config.yaml.
  static RunView load(const fs::path& directory);
  /// Uses the given composed experiment instead of config.yaml.
  static RunView load(const fs::path& directory, Node config);
  /// Reads only plan.json: every job as planned. `config` stays empty.
  static RunView planned(const fs::path& directory);

  fs::path directory;
  std::string experiment, run_id, title;
  std::string scale;                            ///< "" at full scale
  std::string plan_hash;                        ///< of all jobs: runs with the same hash have the same jobs
  std::string code;                             ///< hash of the code that its jobs depend on
  std::optional<MadeWith> made;                 ///< unset for a run that is only planned
  std::vector<std::string> overrides;           ///< as given on the command line
  std::vector<std::string> protocol_overrides;  ///< overrides that make some job differ from the file's
  std::vector<std::string> added_arms;          ///< arms that the file does not have
  bool as_written = true;                       ///< arms, points and analyses are the file's at this scale
  std::vector<std::string> arms;                ///< in the plan's order
  std::vector<std::string> swept;               ///< parameter names
  std::vector<MetricDoc> docs;                  ///< documentation of metrics from their sources; empty for runs that did not record it
  std::optional<RunSearch> search;
  std::vector<JobView> jobs;
  std::vector<std::string> warnings;  ///< files that could not be read
  std::vector<RecordedDifference> differences;
  std::shared_ptr<const RunView> protocols;  ///< the sweep from which a fitted protocol was chosen (`paper.fitted`), if it is at hand
  Node config;

  /// The distinct points of the sweep in the plan's order; one empty point if nothing is swept. An arm that lacks a swept parameter adds
  /// none, because it is the same at all values of that parameter.
  std::vector<Node::Map> points() const;
  /// The points that match `at`, a map; all points if it is not a map or is empty.
  std::vector<Node::Map> points_at(const Node& at) const;
  /// The distinct values of a parameter in the plan's order, formatted as in tables.
  std::vector<std::string> values_of(const std::string& parameter) const;
  /// The points at which the arm has jobs, with the parameters that apply to it; one empty point if none does.
  std::vector<Node::Map> points_of(const std::string& arm) const;
  /// The point in points_of(arm) that corresponds to a point of the sweep; nullopt if it was not run.
  std::optional<Node::Map> point_of(const std::string& arm, const Node::Map& point) const;
  std::vector<std::int64_t> seeds() const;  ///< ascending, distinct
  /// The arm's jobs at point_of(arm, point), by seed.
  std::vector<const JobView*> jobs_of(const std::string& arm, const Node::Map& point) const;
  /// Jobs are ordered by seed. Only completed jobs contribute values.
  Sample sample(const std::string& arm, const Node::Map& point, const std::string& metric) const;
  /// Names of all metrics in summaries, sorted.
  std::vector<std::string> metric_names() const;
  std::vector<DatasetUse> datasets() const;        ///< distinct
  std::vector<DatasetUse> other_datasets() const;  ///< those that only analyses read, distinct

  /// Rows of metrics.jsonl; unreadable lines (a cut-off tail) are skipped.
  std::vector<MetricRow> curve(const JobView& job) const;
  /// The same, one row at a time, so that a long log is never held in memory.
  void each_row(const JobView& job, const std::function<void(const MetricRow&)>& call) const;
  /// The settings that determined the job's result, from its job.yaml; nullopt if that cannot be read.
  std::optional<Node> config_of(const JobView& job) const;
  /// `artifacts/<name>.json` of the job or one of its analyses; nullopt if absent. Throws a data error if it is not JSON.
  std::optional<nlohmann::json> artifact(const JobView& job, const std::string& name) const;

  /// The point in points_of(arm), among `points`, that is best by a metric: most seeds with a value, then the best mean (highest or lowest).
  /// Nullopt if the metric has no value anywhere.
  std::optional<Node::Map> best_point(const std::string& arm, const std::vector<Node::Map>& points, const std::string& metric,
                                      bool higher) const;
  bool complete() const;       ///< every job completed, diverged or pruned
  std::string status() const;  ///< "complete", "failed" (a job failed and none is left to run) or "partial"

 private:
  struct Index;
  /// Arms, their points and the jobs there; built on first use, and again when jobs were added. Not thread-safe.
  const Index& index() const;
  mutable std::shared_ptr<const Index> index_;
};

/// Whether both have the same parameters with the same values.
bool same_point(const Node::Map& a, const Node::Map& b);
/// "operator.epsilon=1e-5, trainer.batch_size=64"; "" for the empty point.
std::string point_label(const Node::Map& point);
/// The parameter's last component: "epsilon"; the full name if two of `swept` have the same last component.
std::string short_parameter(const std::string& name, const std::vector<std::string>& swept);

}  // namespace yatlab
