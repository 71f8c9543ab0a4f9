#include "core/record/run_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/json_number.h"
#include "core/base/json_text.h"
#include "core/base/manifest.h"
#include "core/base/text.h"
#include "core/config/interpolation.h"
#include "core/config/yaml.h"
#include "core/record/job_file.h"
#include "core/record/job_history.h"
#include "core/record/point_index.h"
#include "core/record/run_metric.h"
#include "core/system/start_threads.h"
#include "core/verdict/format.h"
#include "core/verdict/metric_docs.h"
#include "core/verdict/statistics.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> texts_of(const Json& object, const char* key) {
  std::vector<std::string> out;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return out;
  for (const auto& item : *found) {
    if (item.is_string()) out.push_back(item.get<std::string>());
  }
  return out;
}

/// How a finished job's shown results differ from what the job wrote; "" if they do not, or if an old run has no manifest. Checkpoints
/// are not read, since no number comes from them.
std::string damage_of_results(const fs::path& folder, JobCheck check) {
  return damage_in(folder, [&](const std::string& name) {
    return check == JobCheck::kSummary ? name == "summary.json" : name.rfind("checkpoints/", 0) != 0;
  });
}

/// Reads the files of one folder, a job's or an analysis', into `job`.
void read_folder(const fs::path& folder, JobView& job, JobCheck check, std::vector<std::string>& warnings) {
  // Times are here and not in the summary, which depends only on the job.
  const auto status = read_job_status(folder);
  if (!status.readable) warnings.push_back((folder / "status.json").string() + " cannot be read");
  job.state = status.state;
  job.error = status.error;
  job.wall_s += status.wall_s;
  for (const auto& [name, value] : status.performance) job.metrics["run/" + name] = value;
  std::optional<JobSummary> summary;
  try {
    std::string problem;
    summary = read_job_summary(folder, &problem);
    if (!problem.empty()) warnings.push_back(problem);
  } catch (const std::exception& e) {
    warnings.push_back(fmt::format("{} cannot be read: {}", (folder / "summary.json").string(), e.what()));
  }
  if (!summary) {
    // Without its summary a finished job has nothing to report.
    if (job.finished()) job.state = JobState::kInterrupted;
    job.metrics.clear();
    return;
  }
  if (const auto damage = damage_of_results(folder, check); !damage.empty()) {
    warnings.push_back(
        fmt::format("{}: {}; this job is not shown. Run its experiment's command again: it repeats the job", folder.string(), damage));
    job.state = JobState::kInterrupted;
    job.metrics.clear();
    return;
  }
  // The summary has precedence.
  if (summary->state) job.state = *summary->state;
  if (summary->steps) job.steps = *summary->steps;
  for (const auto& [name, value] : summary->metrics) job.metrics[name] = value;
  if (summary->dataset) job.dataset = summary->dataset;
  job.others.insert(job.others.end(), summary->others.begin(), summary->others.end());
}

/// Whether the command line changed it or one of its analyses.
bool is_changed(const JobView& job) {
  return !job.changed_by.empty() ||
         std::any_of(job.analyses.begin(), job.analyses.end(), [](const JobView::Analysis& a) { return !a.changed_by.empty(); });
}

}  // namespace

struct RunView::Index {
  struct Arm {
    PointIndex points;
    std::vector<std::vector<std::size_t>> jobs;  ///< at each point, by seed
    std::vector<std::size_t> first;              ///< for each point, its first job in the plan
  };
  std::size_t jobs = 0;
  std::unordered_map<std::string, Arm> arms;
  std::vector<std::size_t> points;  ///< points of the sweep, each as one of its jobs

  explicit Index(const std::vector<JobView>& all) : jobs(all.size()) {
    PointIndex sweep;
    std::vector<std::size_t> first;
    for (std::size_t j = 0; j < all.size(); ++j) {
      Arm& arm = arms[all[j].arm];
      const auto own = arm.points.add(all[j].params);
      if (own == arm.jobs.size()) {
        arm.jobs.emplace_back();
        arm.first.push_back(j);
      }
      arm.jobs[own].push_back(j);
      if (sweep.add(all[j].params) == first.size()) first.push_back(j);
    }
    for (auto& [name, arm] : arms) {
      for (auto& at : arm.jobs) std::stable_sort(at.begin(), at.end(), [&](auto a, auto b) { return all[a].seed < all[b].seed; });
    }
    // Points that are part of other points are not points of the sweep.
    std::vector<bool> part(first.size());
    for (std::size_t p = 0; p < first.size(); ++p) {
      for (const auto other : sweep.parts_of(all[first[p]].params)) part[other] = part[other] || other != p;
    }
    for (std::size_t p = 0; p < first.size(); ++p) {
      if (!part[p]) points.push_back(first[p]);
    }
  }

  /// The arm and the index of its point for `point`; nullptr if it was not run. If several match (a parameter decides whether another applies), the
  /// one with the most parameters, then the first.
  std::pair<const Arm*, std::size_t> find(const std::string& name, const Node::Map& point) const {
    const auto found = arms.find(name);
    if (found == arms.end()) return {nullptr, 0};
    const Arm& arm = found->second;
    std::optional<std::size_t> best;
    for (const auto part : arm.points.parts_of(point)) {
      if (!best || arm.points.parameters(part) > arm.points.parameters(*best)) best = part;
    }
    return {best ? &arm : nullptr, best.value_or(0)};
  }
};

const RunView::Index& RunView::index() const {
  if (!index_ || index_->jobs != jobs.size()) index_ = std::make_shared<const Index>(jobs);
  return *index_;
}

void read_job(const fs::path& run, JobView& job, JobCheck check, std::vector<std::string>& warnings) {
  read_folder(run / job.directory, job, check, warnings);
  for (const auto& analysis : job.analyses) {
    if (!job.finished()) return;
    const auto state = job.state;
    const auto error = job.error;
    const auto before = analysis.changed_by.empty() ? std::map<std::string, double>() : job.metrics;
    read_folder(run / analysis.directory, job, check, warnings);
    if (!analysis.changed_by.empty()) {
      for (const auto& [metric, value] : job.metrics) {
        if (before.count(metric) == 0) job.measured_otherwise[metric] = analysis.changed_by;
      }
    }
    if (job.finished() && (state == JobState::kDiverged || job.state == JobState::kCompleted)) {
      job.state = state;  // diverged jobs are analysed too
      job.error = error;
    } else if (job.state == JobState::kPlanned) {
      job.state = JobState::kInterrupted;
    }
  }
}

JobState observed_state(const fs::path& run, const JobView& job, std::int64_t now, std::string* why) {
  std::string error;
  const auto look_at = [&](const std::string& directory) {
    const auto status = read_job_status(run / directory);
    error = status.readable ? status.error : "status.json cannot be read";
    return status.intact ? observed_state(run / directory, status, now) : JobState::kPlanned;
  };
  auto out = look_at(job.directory);
  if (why) *why = error;
  if (!is_finished(out)) return out;
  for (const auto& analysis : job.analyses) {
    const auto state = look_at(analysis.directory);
    if (state == JobState::kCompleted || (state == JobState::kDiverged && out == JobState::kDiverged)) continue;
    if (why) *why = error;
    if (state != JobState::kDiverged) return state == JobState::kPlanned ? JobState::kInterrupted : state;
    out = state;  // the other analyses may have a more specific state
  }
  return out;
}

std::vector<JobView::Analysis> analyses_in(const fs::path& run, const std::string& job_directory) {
  std::vector<JobView::Analysis> out;
  std::error_code ec;
  for (fs::directory_iterator it(run / job_directory / "analyses", ec), end; !ec && it != end; it.increment(ec)) {
    if (is_job_folder(it->path())) out.push_back({(fs::path(job_directory) / "analyses" / it->path().filename()).string(), {}});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.directory < b.directory; });
  return out;
}

RunView RunView::load(const fs::path& directory) {
  const fs::path config = directory / "config.yaml";
  if (!is_there(config)) {
    throw data_error(fmt::format("'{}' is not a run directory", directory.string()), {}, "it has no config.yaml",
                     "give a folder like results/<experiment>/<time>-<hash>");
  }
  return load(directory, read_run_config(directory));
}

Node read_run_config(const fs::path& directory) {
  const Node written = load_yaml(directory / "config.yaml");
  try {
    Node out = written;  // interpolations in overrides are resolved where they are applied
    const char* const lists[] = {"arms", "families", "scales"};
    for (const char* key : lists) {
      if (Node* of_overrides = out.find(key)) *of_overrides = Node::map();
    }
    out = resolve(out);
    for (const char* key : lists) {
      if (const Node* of_overrides = written.find(key)) out.set(key, *of_overrides);
    }
    return out;
  } catch (const Error&) {  // written already resolved, with texts that contain `${`
    return written;
  }
}

RunView RunView::load(const fs::path& directory, Node config) {
  auto run = planned(directory);
  run.config = std::move(config);
  run.made = made_with(directory);
  std::vector<std::vector<std::string>> warnings(run.jobs.size());
  for_each_below(run.jobs.size(), [&](std::size_t i) { read_job(directory, run.jobs[i], JobCheck::kResults, warnings[i]); });
  for (auto& of_job : warnings) std::move(of_job.begin(), of_job.end(), std::back_inserter(run.warnings));
  return run;
}

RunView RunView::planned(const fs::path& directory) {
  RunView run;
  run.directory = directory;
  const fs::path path = directory / "plan.json";
  if (!is_there(path)) {
    throw data_error(fmt::format("'{}' is not a run directory", directory.string()), {}, "it has no plan.json",
                     "give a folder like results/<experiment>/<time>-<hash>");
  }
  Json plan;
  try {
    plan = parse_ordered_json(read_json_text(path));
  } catch (const Json::exception& e) {
    throw data_error("cannot read the plan of a run", path.string(), e.what());
  }
  const auto bad = [&](const std::string& why) { return data_error("cannot read the plan of a run", path.string(), why); };
  if (!plan.is_object()) throw bad("it does not contain a JSON object");
  if (const auto schema = plan.find("schema"); schema != plan.end() && *schema != 1) {
    throw bad(fmt::format("its schema is {}, but this version reads 1", schema->dump()));
  }
  run.experiment = text_in(plan, "experiment");
  run.run_id = text_in(plan, "run_id");
  run.title = text_in(plan, "title");
  run.scale = text_in(plan, "scale");
  run.plan_hash = text_in(plan, "hash");
  run.code = text_in(plan, "code");
  run.arms = texts_of(plan, "arms");
  run.swept = texts_of(plan, "swept");
  if (const auto metrics = plan.find("metrics"); metrics != plan.end()) run.docs = metric_docs_of(*metrics);
  if (const auto search = plan.find("search"); search != plan.end() && search->is_object()) {
    run.search = RunSearch{text_in(*search, "method"), text_in(*search, "metric"), text_in(*search, "better") == "higher"};
    if (const auto trials = search->find("trials"); trials != search->end() && trials->is_number_integer())
      run.search->trials = trials->get<std::int64_t>();
  }
  run.overrides = texts_of(plan, "overrides");
  run.protocol_overrides = texts_of(plan, "protocol_overrides");
  run.added_arms = texts_of(plan, "added_arms");
  run.as_written = run.protocol_overrides.empty();  // older plans do not record it
  if (const auto written = plan.find("as_written"); written != plan.end() && written->is_boolean()) run.as_written = written->get<bool>();
  const auto jobs = plan.find("jobs");
  if (jobs == plan.end() || !jobs->is_array()) throw bad("it has no list 'jobs'");
  for (std::size_t i = 0; i < jobs->size(); ++i) {
    const auto& item = (*jobs)[i];
    JobView job;
    if (item.is_object()) {
      job.arm = text_in(item, "arm");
      job.directory = text_in(item, "dir");
      job.hash = text_in(item, "hash");
    }
    if (job.arm.empty() || job.directory.empty()) throw bad(fmt::format("jobs.{} has no 'arm' or 'dir'", i));
    if (const auto seed = item.find("seed"); seed != item.end() && seed->is_number_integer()) {
      job.seed = seed->get<std::int64_t>();
    }
    if (const auto params = item.find("params"); params != item.end() && params->is_object()) {
      job.params = from_json(*params).as_map();
    }
    if (item.is_object()) job.changed_by = texts_of(item, "changed_by");
    if (const auto analyses = item.find("analyses"); analyses != item.end() && analyses->is_array()) {
      for (const auto& analysis : *analyses) {
        if (analysis.is_object())
          job.analyses.push_back({text_in(analysis, "dir"), text_in(analysis, "hash"), texts_of(analysis, "changed_by")});
      }
    }
    if (std::find(run.arms.begin(), run.arms.end(), job.arm) == run.arms.end()) run.arms.push_back(job.arm);
    run.jobs.push_back(std::move(job));
  }
  // Older plans record overrides only for the whole run.
  if (!run.protocol_overrides.empty() && std::none_of(run.jobs.begin(), run.jobs.end(), is_changed)) {
    for (auto& job : run.jobs) job.changed_by = run.protocol_overrides;
  }
  return run;
}

std::vector<Node::Map> RunView::points() const {
  std::vector<Node::Map> out;
  for (const auto job : index().points) out.push_back(jobs[job].params);
  return out;
}

std::vector<Node::Map> RunView::points_at(const Node& at) const {
  auto out = points();
  if (!at.is_map()) return out;
  out.erase(std::remove_if(out.begin(), out.end(), [&](const Node::Map& point) { return !point_matches(at.as_map(), point); }), out.end());
  return out;
}

std::vector<std::string> RunView::values_of(const std::string& parameter) const {
  std::vector<std::string> out;
  std::set<std::string> known;
  for (const auto& job : jobs) {
    for (const auto& [key, value] : job.params) {
      if (key != parameter) continue;
      auto shown = format_parameter(value);
      if (known.insert(shown).second) out.push_back(std::move(shown));
    }
  }
  return out;
}

std::vector<Node::Map> RunView::points_of(const std::string& arm) const {
  std::vector<Node::Map> out;
  const auto& arms_of_index = index().arms;
  const auto found = arms_of_index.find(arm);
  if (found == arms_of_index.end()) return out;
  for (const auto job : found->second.first) out.push_back(jobs[job].params);
  return out;
}

std::optional<Node::Map> RunView::point_of(const std::string& arm, const Node::Map& point) const {
  const auto [found, own] = index().find(arm, point);
  return found ? std::optional<Node::Map>(jobs[found->first[own]].params) : std::nullopt;
}

std::vector<std::int64_t> RunView::seeds() const {
  std::set<std::int64_t> all;
  for (const auto& job : jobs) all.insert(job.seed);
  return {all.begin(), all.end()};
}

std::vector<const JobView*> RunView::jobs_of(const std::string& arm, const Node::Map& point) const {
  std::vector<const JobView*> out;
  const auto [found, own] = index().find(arm, point);
  if (!found) return out;
  for (const auto job : found->jobs[own]) out.push_back(&jobs[job]);
  return out;
}

Sample RunView::sample(const std::string& arm, const Node::Map& point, const std::string& metric) const {
  Sample out;
  // Run metrics and divergence are known for diverged jobs too.
  for (const JobView* job : jobs_of(arm, point)) {
    if (job->state == JobState::kPruned) continue;  // not expected to finish
    ++out.planned;
    if (job->state == JobState::kDiverged && !describes_run(metric)) {
      ++out.diverged;
    } else if (job->state == JobState::kFailed) {
      ++out.failed;
    } else if (!job->finished()) {
      ++out.unfinished;
    } else if (const auto found = job->metrics.find(metric); found != job->metrics.end() && !std::isfinite(found->second)) {
      out.not_finite.push_back(job->seed);
    } else if (found != job->metrics.end()) {
      out.seeds.push_back(job->seed);
      out.values.push_back(found->second);
      out.jobs.push_back(job->directory);
    }
  }
  return out;
}

std::string not_finite_text(const Sample& sample) {
  if (sample.not_finite.empty()) return {};
  return fmt::format("not finite for {} of {} seed{}", sample.not_finite.size(), sample.planned, sample.planned == 1 ? "" : "s");
}

std::optional<Node::Map> RunView::best_point(const std::string& arm, const std::vector<Node::Map>& points, const std::string& metric,
                                             bool higher) const {
  const Node::Map* out = nullptr;
  std::size_t most = 0;
  double best = 0;
  std::vector<Node::Map> own;
  for (const auto& point : points) {
    if (auto found = point_of(arm, point)) own.push_back(std::move(*found));
  }
  own = distinct_points(std::move(own));
  for (const auto& point : own) {
    const auto values = sample(arm, point, metric).values;
    if (values.empty() || values.size() < most) continue;
    const double score = (higher ? 1 : -1) * mean(values);
    if (values.size() == most && score <= best) continue;
    most = values.size();
    best = score;
    out = &point;
  }
  return out ? std::optional<Node::Map>(*out) : std::nullopt;
}

std::vector<std::string> RunView::metric_names() const {
  std::set<std::string> all;
  for (const auto& job : jobs) {
    for (const auto& entry : job.metrics) all.insert(entry.first);
  }
  return {all.begin(), all.end()};
}

std::vector<DatasetUse> RunView::datasets() const {
  std::vector<DatasetUse> out;
  for (const auto& job : jobs) {
    if (job.dataset && std::find(out.begin(), out.end(), *job.dataset) == out.end()) {
      out.push_back(*job.dataset);
    }
  }
  return out;
}

std::vector<DatasetUse> RunView::other_datasets() const {
  const auto trained = datasets();
  std::vector<DatasetUse> out;
  for (const auto& job : jobs) {
    for (const auto& other : job.others) {
      const auto is_in = [&](const std::vector<DatasetUse>& all) { return std::find(all.begin(), all.end(), other) != all.end(); };
      if (!is_in(trained) && !is_in(out)) out.push_back(other);
    }
  }
  return out;
}

std::vector<MetricRow> RunView::curve(const JobView& job) const {
  std::vector<MetricRow> out;
  each_row(job, [&](const MetricRow& point) { out.push_back(point); });
  return out;
}

void RunView::each_row(const JobView& job, const std::function<void(const MetricRow&)>& call) const {
  const auto folder = directory / job.directory;
  if (!damage_of_history(folder).empty()) return;  // `warnings` report it
  yatlab::each_row(folder, [&](const MetricRow& row) {
    call(row);
    return true;
  });
}

std::optional<Node> RunView::config_of(const JobView& job) const {
  try {
    return read_job_file(directory / job.directory).config;
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kFile) throw;
    return std::nullopt;
  }
}

std::optional<nlohmann::json> RunView::artifact(const JobView& job, const std::string& name) const {
  std::vector<std::string> folders{job.directory};
  for (const auto& analysis : job.analyses) folders.push_back(analysis.directory);
  const auto path_in = [&](const std::string& folder) { return directory / folder / "artifacts" / (name + ".json"); };
  const auto holding = std::find_if(folders.begin(), folders.end(), [&](const std::string& folder) { return is_there(path_in(folder)); });
  if (holding == folders.end()) return std::nullopt;
  const fs::path path = path_in(*holding);
  try {
    return parse_json(read_json_text(path));
  } catch (const nlohmann::json::exception& e) {
    throw data_error(fmt::format("cannot read artifact '{}'", name), path.string(), e.what());
  }
}

bool RunView::complete() const {
  return !jobs.empty() &&
         std::all_of(jobs.begin(), jobs.end(), [](const JobView& j) { return j.finished() || j.state == JobState::kPruned; });
}

std::string RunView::status() const {
  if (complete()) return "complete";
  const bool settled = std::all_of(jobs.begin(), jobs.end(), [](const JobView& j) { return is_over(j.state); });
  return settled && !jobs.empty() ? "failed" : "partial";
}

bool same_point(const Node::Map& a, const Node::Map& b) { return a.size() == b.size() && point_matches(a, b); }

std::string point_label(const Node::Map& point) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : point) parts.push_back(key + "=" + format_parameter(value));
  return join(parts, ", ");
}

std::string short_parameter(const std::string& name, const std::vector<std::string>& swept) {
  const auto last = [](const std::string& s) { return s.substr(s.find_last_of('.') + 1); };
  const auto same = std::count_if(swept.begin(), swept.end(), [&](const std::string& other) { return last(other) == last(name); });
  return same > 1 ? name : last(name);
}

std::pair<std::vector<double>, std::vector<double>> paired(const Sample& a, const Sample& b) {
  std::pair<std::vector<double>, std::vector<double>> out;
  for (std::size_t i = 0; i < a.seeds.size(); ++i) {
    const auto at = std::find(b.seeds.begin(), b.seeds.end(), a.seeds[i]);
    if (at == b.seeds.end()) continue;
    out.first.push_back(a.values[i]);
    out.second.push_back(b.values[static_cast<std::size_t>(at - b.seeds.begin())]);
  }
  return out;
}

}  // namespace yatlab
