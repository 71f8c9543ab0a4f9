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

/// A job as far as its folder tells, with its analyses: their metrics are the job's, and it is finished when they are.
struct JobView {
  std::string arm;
  std::int64_t seed = 0;
  Node::Map params;  ///< the sweep point
  std::string hash;
  std::string directory;  ///< relative to the run, also the job's id in reports
  struct Analysis {
    std::string directory;  ///< relative to the run
    std::string hash;
    std::vector<std::string> changed_by = {};  ///< overrides that set other parameters than the experiment's file
  };
  std::vector<Analysis> analyses;
  std::vector<std::string> changed_by;                                 ///< overrides by which it is another job than the file's
  std::map<std::string, std::vector<std::string>> measured_otherwise;  ///< metric -> overrides, where an analysis alone is another
  JobState state = JobState::kPlanned;
  std::string error;
  std::int64_t steps = 0;
  double wall_s = 0;
  std::map<std::string, double> metrics;  ///< finite and non-finite ones; empty until finished
  std::optional<DatasetUse> dataset;

  bool finished() const { return is_finished(state); }
};

/// Values of one metric over the seeds of one arm at one point.
struct Sample {
  std::vector<std::int64_t> seeds;       ///< of `values`, ascending
  std::vector<double> values;            ///< finite ones of completed jobs
  std::vector<std::string> jobs;         ///< folders of `values`
  std::vector<std::int64_t> not_finite;  ///< seeds of completed jobs whose value is NaN or infinite
  std::size_t planned = 0, diverged = 0, failed = 0, unfinished = 0;

  /// Its mean is that of the seeds which are left: others diverged, or have no finite value.
  bool only_survivors() const { return diverged > 0 || !not_finite.empty(); }
  bool none_finite() const { return values.empty() && !not_finite.empty(); }
};

/// "not finite for 5 of 12 seeds"; "" where every value is finite.
std::string not_finite_text(const Sample& sample);

/// Values of the seeds that both have, in the same order.
std::pair<std::vector<double>, std::vector<double>> paired(const Sample& a, const Sample& b);

/// A difference over documents that a recorded summary tells, of jobs whose artifacts are not here.
struct RecordedDifference {
  std::string metric, arm, baseline;
  std::string contrast;             ///< its name, in place of the arms
  Node::Map point, baseline_point;  ///< baseline_point: empty where it is the same
  DocumentDifference over;
};

/// What of a finished job is compared with its manifest before its numbers are shown.
enum class JobCheck {
  kResults,  ///< all files but checkpoints
  kSummary,  ///< summary.json alone, from which the numbers come: cheap also for thousands of jobs
};

/// Fills in what has become of a job of the run in `run`, as far as its files tell; adds to `warnings` those that cannot be read, or
/// are not as they were written.
void read_job(const fs::path& run, JobView& job, JobCheck check, std::vector<std::string>& warnings);

/// The state of a job and its analyses as it is seen from outside (see observed_state of job_status.h); `why` is set to the error of the one that decides.
JobState observed_state(const fs::path& run, const JobView& job, std::int64_t now, std::string* why = nullptr);

/// The analyses that lie in a job's folder, where no plan tells.
std::vector<JobView::Analysis> analyses_in(const fs::path& run, const std::string& job_directory);

/// What a run's points were searched for by.
struct RunSearch {
  std::string method;  ///< "tpe"
  std::string metric;
  bool higher = false;      ///< is better
  std::int64_t trials = 0;  ///< of each arm, as far as it was asked to go
};

/// The config.yaml of a run, resolved.
Node read_run_config(const fs::path& directory);

/// A run directory, read once; missing or half-written job files leave the job as it was planned.
class RunView {
 public:
  /// Throws a data error when `directory` holds no readable plan.json or config.yaml.
  static RunView load(const fs::path& directory);
  /// With the composed experiment given, instead of config.yaml.
  static RunView load(const fs::path& directory, Node config);
  /// What plan.json alone tells: every job as it was planned. `config` stays empty.
  static RunView planned(const fs::path& directory);

  fs::path directory;
  std::string experiment, run_id, title;
  std::string scale;                            ///< "" at full scale
  std::string plan_hash;                        ///< of all jobs: two runs with the same one do the same
  std::string code;                             ///< hash of the code that its jobs depend on
  std::optional<MadeWith> made;                 ///< not of a run that is only planned
  std::vector<std::string> overrides;           ///< as given on the command line
  std::vector<std::string> protocol_overrides;  ///< those by which some job is another than the file's
  std::vector<std::string> added_arms;          ///< those that the file does not have
  bool as_written = true;                       ///< arms, points and analyses are the file's at this scale
  std::vector<std::string> arms;                ///< in the plan's order
  std::vector<std::string> swept;               ///< parameter names
  std::vector<MetricDoc> docs;  ///< what is said of metrics by those that measure them; empty for runs that did not record it
  std::optional<RunSearch> search;
  std::vector<JobView> jobs;
  std::vector<std::string> warnings;  ///< files that could not be read
  std::vector<RecordedDifference> differences;
  Node config;

  /// The distinct points of the sweep in the plan's order; one empty point when nothing is swept. An arm that lacks a swept parameter adds
  /// none: it is the same at all its values.
  std::vector<Node::Map> points() const;
  /// Those of them that match `at`, a map; all where it is none, or empty.
  std::vector<Node::Map> points_at(const Node& at) const;
  /// What a parameter was set to, each value once, as tables show it, in the plan's order.
  std::vector<std::string> values_of(const std::string& parameter) const;
  /// Where the arm has jobs, by the parameters that apply to it: one empty point when none does.
  std::vector<Node::Map> points_of(const std::string& arm) const;
  /// That of points_of(arm) which a point of the sweep is for the arm; none where it was not run.
  std::optional<Node::Map> point_of(const std::string& arm, const Node::Map& point) const;
  std::vector<std::int64_t> seeds() const;  ///< ascending, distinct
  /// The arm's jobs at point_of(arm, point), by seed.
  std::vector<const JobView*> jobs_of(const std::string& arm, const Node::Map& point) const;
  /// Jobs are ordered by seed. Only completed jobs contribute values.
  Sample sample(const std::string& arm, const Node::Map& point, const std::string& metric) const;
  /// Names of all metrics in summaries, sorted.
  std::vector<std::string> metric_names() const;
  std::vector<DatasetUse> datasets() const;  ///< distinct

  /// metrics.jsonl; unreadable lines (a cut-off tail) are skipped.
  std::vector<MetricRow> curve(const JobView& job) const;
  /// The same one after the other: a long log is never held as a whole.
  void each_row(const JobView& job, const std::function<void(const MetricRow&)>& call) const;
  /// What decided the job's result, from its job.yaml; nothing when that cannot be read.
  std::optional<Node> config_of(const JobView& job) const;
  /// `artifacts/<name>.json` of the job or of one of its analyses; nothing when absent. Throws a data error when it is not JSON.
  std::optional<nlohmann::json> artifact(const JobView& job, const std::string& name) const;

  /// Of `points`, which of points_of(arm) is best by a metric: most seeds with a value, then the best mean (the highest, or the lowest).
  /// None if it has no value anywhere.
  std::optional<Node::Map> best_point(const std::string& arm, const std::vector<Node::Map>& points, const std::string& metric,
                                      bool higher) const;
  bool complete() const;       ///< every job completed, diverged or pruned
  std::string status() const;  ///< "complete", "failed" (a job failed, none is left to do) or "partial"

 private:
  struct Index;
  /// Arms, their points and the jobs there; made when first asked for, and again when jobs were added. Not for several threads.
  const Index& index() const;
  mutable std::shared_ptr<const Index> index_;
};

/// The same parameters with the same values.
bool same_point(const Node::Map& a, const Node::Map& b);
/// "operator.epsilon=1e-5, trainer.batch_size=64"; "" for the empty point.
std::string point_label(const Node::Map& point);
/// The parameter's last component: "epsilon"; the whole name when two of `swept` end alike.
std::string short_parameter(const std::string& name, const std::vector<std::string>& swept);

}  // namespace yatlab
