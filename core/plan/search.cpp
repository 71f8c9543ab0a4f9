#include "core/plan/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/compose/search_space.h"
#include "core/plan/recorded_run.h"
#include "core/record/job_history.h"
#include "core/table/best_points.h"

namespace yatlab {
namespace {

std::vector<std::pair<std::string, Node>> values_of(const SweepPoint& point) {
  std::vector<std::pair<std::string, Node>> out;
  for (const auto& o : point) out.emplace_back(o.address(), o.value);
  return out;
}

std::string text_of(const std::vector<std::pair<std::string, Node>>& values) {
  std::string out;
  for (const auto& [key, value] : values) out += fmt::format("{}{}={}", out.empty() ? "" : ", ", key, value.to_flow());
  return out;
}

/// A proposal as a map key: the values that it sets.
std::string text_of(const SearchPoint& point) {
  std::string out;
  for (const double value : point) out += format_double(value) + " ";
  return out;
}

/// The curve of a trial that ranks as the worst.
SearchCurve worst_of(SearchCurve curve) {
  for (auto& at : curve) at.second = std::numeric_limits<double>::infinity();
  return curve;
}

/// Throws a file error if the system cannot read a job's results.
void require_readable(const JobSpec& job, const fs::path& run) {
  read_file(run / job.directory / "summary.json");
  for (const auto& analysis : job.analyses) read_file(run / analysis.directory / "summary.json");
}

}  // namespace

Search::Search(Plan& plan, std::unique_ptr<ComposedExperiment> composed, SearchSetup setup, ReportConfig report, const std::string& file)
    : plan_(plan),
      composed_(std::move(composed)),
      setup_(std::move(setup)),
      pruner_(setup_.pruner()),
      report_(std::move(report)),
      planner_(plan_, *composed_, file) {
  const auto& dimensions = composed_->dimensions();
  if (dimensions.empty()) {
    throw config_error("there is nothing to search", plan_.experiment.at("sweeper").origin().describe(), "the experiment has no sweep",
                       "give a parameter an interval or a list: -m 'optimizer.lr=tag(log,interval(1e-4,1e-1))'");
  }
  check_dimensions(dimensions);
  const auto first = std::min<std::size_t>(static_cast<std::size_t>(setup_.params.trials),
                                           std::max<std::size_t>(1, setup_.method->independent(space_of(dimensions))));
  for (const auto& arm : composed_->arms()) {
    arms_.push_back({arm, {}, {}, false});
    auto& of = arms_.back();
    // There are no results yet: all trials are still running.
    for (std::vector<Trial> running; of.trials.size() < first && ask(of, running);) running.push_back({of.trials.back().point});
  }
  std::vector<Arm> all;
  for (const auto& of : arms_) {
    all.push_back(of.arm);
    for (const auto& point : composed_->points(plan_.experiment.at("sweeper"), of.arm.name)) planner_.check_options(of.arm, point);
  }
  planner_.reject_ineffective_overrides(all, composed_->points(plan_.experiment.at("sweeper"), all.front().name).front());
  planner_.hold_against_file(all, true);
  choose_metric();
  count_future_jobs();
}

void Search::choose_metric() {
  const auto& given = setup_.params.metric;
  const auto place = plan_.experiment.at("sweeper").origin().describe();
  ArmNames names;
  for (const auto& [arm, measured] : planner_.measured()) names.add(measured);
  report_.describe(plan_.experiment, names.docs);
  metric_ = given;
  if (metric_.empty()) {
    if (report_.tables.empty() || report_.tables.front().columns.empty()) {
      throw config_error("the search has no metric", place, "the experiment has no table whose first column could be used",
                         "set sweeper.metric=test/loss");
    }
    metric_ = report_.tables.front().columns.front().metric;
    if (const auto held_back = held_back_metric(metric_); held_back && names.results.count(*held_back) > 0) metric_ = *held_back;
  }
  for (const auto& [arm, measured] : planner_.measured()) {
    if (!measured.known || measured.results.count(metric_) > 0) continue;
    throw config_error(fmt::format("the search optimizes '{}', but arm '{}' does not measure it", metric_, arm), place, {},
                       suggestion(metric_, {measured.results.begin(), measured.results.end()}));
  }
  if (pruner_ && names.known && names.history.count(metric_) == 0) {
    throw config_error(fmt::format("'{}' is not measured during training, so it cannot be used to prune trials", metric_), place, {},
                       fmt::format("choose a metric that is (sweeper.metric={}), or remove sweeper.pruner",
                                   names.history.empty() ? "..." : *names.history.begin()));
  }
  const auto better = report_.metric(metric_).better;
  if (better == Direction::kNone) {
    throw config_error(fmt::format("it is not known whether lower or higher '{}' is better", metric_), place, {},
                       fmt::format("add \"+metrics={{'{}': {{better: lower}}}}\", or higher", metric_));
  }
  sign_ = better == Direction::kHigher ? -1 : 1;
  if (held_back_metric(metric_)) {
    plan_.notices.push_back(
        fmt::format("the search optimizes '{}', which is also the metric of the results: tables show each seed at the point that the other "
                    "seeds choose. To choose points on other samples, hold samples back (dataset.validation=0.1, if the data set has it)",
                    metric_));
  }
}

RunSearch Search::goal() const { return {plan_.experiment.at("sweeper").at("name").as_string(), metric_, sign_ < 0, setup_.params.trials}; }

std::string Search::identity() const {
  std::string out = "search\n";
  const Node completed = Registry<Sweeper>::complete(plan_.experiment.at("sweeper"));
  for (const auto& [key, value] : completed.as_map()) {
    if (key != "trials" && key != "batch") out += key + "=" + value.to_flow() + "\n";
  }
  out += metric_ + "\n";
  for (const auto& parameter : space_of(composed_->dimensions()).parameters) {
    out += fmt::format("{} {} {} {} {} {}\n", parameter.name, static_cast<int>(parameter.kind), format_double(parameter.low),
                       format_double(parameter.high), parameter.log, parameter.choices);
  }
  for (const auto& dimension : composed_->dimensions()) {
    for (const auto& position : dimension.positions) out += text_of(values_of(position)) + "\n";
  }
  for (const auto& of : arms_) {
    const auto& first = of.trials.front();
    for (std::size_t i = 0; i < first.jobs; ++i) {
      const auto& job = plan_.jobs[first.first_job + i];
      out += job.hash + " " + job.directory + "\n";
      for (const auto& analysis : job.analyses) out += analysis.hash + " " + analysis.directory + "\n";
    }
  }
  return sha256(out);
}

void Search::count_future_jobs() {
  const auto wanted = static_cast<std::size_t>(setup_.params.trials);
  plan_.to_come = 0;
  for (const auto& of : arms_) {
    if (!of.exhausted && of.trials.size() < wanted) plan_.to_come += (wanted - of.trials.size()) * of.trials.front().jobs;
  }
}

bool Search::add(OfArm& of, const SweepPoint& point) {
  PlannedTrial tried;
  tried.proposed = values_of(point);
  tried.first_job = plan_.jobs.size();
  const auto added = planner_.add(of.arm, point);
  if (!added.fresh) return false;
  tried.jobs = plan_.jobs.size() - tried.first_job;
  tried.point = *search_point(composed_->dimensions(), values_of(added.present));
  unlogged_.push_back({static_cast<std::int64_t>(of.trials.size()), of.arm.name, tried.proposed});
  of_arm_[of.arm.name].push_back(key_of(plan_.jobs[tried.first_job]));
  of.trials.push_back(std::move(tried));
  return true;
}

bool Search::ask(OfArm& of, const std::vector<Trial>& trials) {
  const auto& dimensions = composed_->dimensions();
  const auto most = points_in(dimensions);
  auto space = space_of(dimensions);
  const Node config = plan_.experiment;
  space.allowed = [&](const SearchPoint& point) {
    if (of.refused.count(text_of(point)) > 0) return false;
    return !composed_->condition() || holds_at(*composed_->condition(), sweep_point(dimensions, point), config, of.arm.name);
  };
  while (!of.exhausted) {
    if (most && of.refused.size() >= *most) break;
    SearchPoint point;
    try {
      point = setup_.method->ask(space, trials);
    } catch (const Error& e) {
      if (!of.refused.empty()) break;
      const auto* condition = composed_->condition();  // the condition allows no point
      throw condition ? e.within(condition->origin().describe()) : e;
    }
    of.refused.insert(text_of(point));
    if (add(of, sweep_point(dimensions, point))) return true;
  }
  of.exhausted = true;
  return false;
}

void Search::go_on(const fs::path& run) {
  const auto logged = TrialLog(run).read();
  std::vector<ProposedTrial> planned;
  planned.swap(unlogged_);
  const auto refuse = [&](const ProposedTrial& trial) {
    throw data_error(fmt::format("trial {} of arm '{}' does not belong to this search", trial.number, trial.arm),
                     (run / "trials.jsonl").string(), text_of(trial.point), "start a new run with --fresh");
  };
  for (const auto& trial : logged) {
    const auto of = std::find_if(arms_.begin(), arms_.end(), [&](const OfArm& each) { return each.arm.name == trial.arm; });
    if (of == arms_.end()) refuse(trial);
    const auto number = static_cast<std::size_t>(trial.number);
    if (number < of->trials.size()) {
      if (text_of(of->trials[number].proposed) != text_of(trial.point)) refuse(trial);
      continue;
    }
    const auto point = search_point(composed_->dimensions(), trial.point);
    const bool whole = point && std::none_of(point->begin(), point->end(), [](double x) { return std::isnan(x); });
    if (number > of->trials.size() || !whole || !add(*of, sweep_point(composed_->dimensions(), *point))) refuse(trial);
    of->refused.insert(text_of(*point));
  }
  unlogged_.clear();
  const auto is_logged = [&](const ProposedTrial& trial) {
    return std::any_of(logged.begin(), logged.end(),
                       [&](const ProposedTrial& other) { return other.arm == trial.arm && other.number == trial.number; });
  };
  std::copy_if(planned.begin(), planned.end(), std::back_inserter(unlogged_),
               [&](const ProposedTrial& trial) { return !is_logged(trial); });
  count_future_jobs();
}

void Search::log_new_trials(const fs::path& run) {
  if (unlogged_.empty()) return;
  TrialLog(run).append(unlogged_);
  unlogged_.clear();
}

Trial Search::result_of(const PlannedTrial& tried, const fs::path& run) const {
  Trial out{tried.point, Trial::State::kCompleted, 0};
  double sum = 0;
  bool failed = false, running = false;
  std::optional<double> pruned;
  for (std::size_t i = 0; i < tried.jobs; ++i) {
    const auto& job = plan_.jobs[tried.first_job + i];
    auto found = recorded_result(job, run);
    if (found.state == JobState::kPruned) {
      if (!pruned) pruned = last_value(job);
      continue;  // one of the other jobs may have diverged
    }
    if (!is_over(found.state)) {
      running = true;
      continue;
    }
    // A temporary read error is not a failure: it would change the next proposal.
    if (found.state == JobState::kCompleted && found.metrics.count(metric_) == 0) {
      require_readable(job, run);
      found = recorded_result(job, run);
    }
    const auto value = found.metrics.find(metric_);
    const bool good = found.state == JobState::kCompleted && value != found.metrics.end() && std::isfinite(value->second);
    if (good) sum += sign_ * value->second;
    failed = failed || !good;
  }
  if (running && !pruned) {
    out.state = Trial::State::kRunning;
  } else if (failed) {
    out.state = Trial::State::kFailed;
  } else if (pruned) {
    out.state = Trial::State::kPruned;
    out.value = *pruned;
  } else {
    out.value = sum / static_cast<double>(tried.jobs);
  }
  return out;
}

double Search::last_value(const JobSpec& job) const {
  const std::lock_guard lock(mutex_);
  if (const auto seen = progress_.find(key_of(job)); seen != progress_.end()) {
    const auto curve = seen->second.curves.find(job.seed);
    if (curve != seen->second.curves.end() && !curve->second.empty()) return curve->second.back().second;
  }
  return std::numeric_limits<double>::infinity();
}

std::vector<Trial> Search::results_of(OfArm& of, const fs::path& run) const {
  std::vector<Trial> out;
  for (auto& tried : of.trials) {
    if (!tried.over) {
      auto now = result_of(tried, run);
      if (now.state == Trial::State::kRunning) {
        out.push_back(std::move(now));
        continue;
      }
      tried.over = std::move(now);
    }
    out.push_back(*tried.over);
  }
  return out;
}

bool Search::grow(const fs::path& run, std::size_t workers) {
  const auto wanted = static_cast<std::size_t>(setup_.params.trials);
  bool grown = false;
  for (auto& of : arms_) {
    if (of.exhausted || of.trials.size() >= wanted) continue;
    const auto each = std::max<std::size_t>(1, of.trials.front().jobs) * arms_.size();
    const auto batch = setup_.params.batch > 0 ? static_cast<std::size_t>(setup_.params.batch) : (workers + each - 1) / each;
    auto trials = results_of(of, run);
    auto running = static_cast<std::size_t>(
        std::count_if(trials.begin(), trials.end(), [](const Trial& t) { return t.state == Trial::State::kRunning; }));
    for (; running < batch && of.trials.size() < wanted && ask(of, trials); ++running) {
      trials.push_back({of.trials.back().point});
      grown = true;
    }
  }
  log_new_trials(run);
  count_future_jobs();
  return grown;
}

std::string Search::key_of(const JobSpec& job) const {
  std::string out = job.arm;
  for (const auto& [key, value] : job.params) {
    if (key != job.part) out += fmt::format(",{}={}", key, value.to_flow());
  }
  return out;
}

void Search::recall(const JobSpec& job, const fs::path& run) {
  const auto before = recorded_result(job, run);
  if (before.state == JobState::kPruned) {
    const std::lock_guard lock(mutex_);
    progress_[key_of(job)].why_pruned = before.why;
  }
  ended(job, before.state);
  for_each_row(run / job.directory, [&](const MetricRow& row) {
    const auto value = row.metrics.find(metric_);
    if (value == row.metrics.end()) return;
    const std::lock_guard lock(mutex_);
    progress_[key_of(job)].curves[job.seed].emplace_back(row.step, sign_ * value->second);
  });
}

void Search::see(const JobSpec& job, const MetricRow& row, std::int64_t total_steps) {
  const auto value = row.metrics.find(metric_);
  if (value == row.metrics.end()) return;
  const std::lock_guard lock(mutex_);
  const auto key = key_of(job);
  auto& mine = progress_[key];
  auto& own = mine.curves[job.seed];
  own.emplace_back(row.step, sign_ * value->second);
  mine.lost.erase(job.seed);  // it has been restarted
  if (!pruner_ || !mine.why_pruned.empty() || (total_steps > 0 && row.step >= total_steps)) return;
  // Seeds are paired: one seed affects all trials' curves alike.
  std::vector<SearchCurve> others;
  for (const auto& other : of_arm_.at(job.arm)) {
    const auto it = progress_.find(other);
    if (other == key || it == progress_.end()) continue;
    const auto curve = it->second.curves.find(job.seed);
    if (curve == it->second.curves.end()) continue;
    others.push_back(it->second.lost.empty() ? curve->second : worst_of(curve->second));
  }
  if (pruner_->prune(others, own)) {
    mine.why_pruned = fmt::format("at step {} {} was {:.4g}", row.step, metric_, value->second);
  }
}

void Search::ended(const JobSpec& job, JobState state) {
  if (state != JobState::kDiverged && state != JobState::kFailed) return;
  const std::lock_guard lock(mutex_);
  progress_[key_of(job)].lost.insert(job.seed);
}

void Search::rewind(const JobSpec& job, std::int64_t step) {
  const std::lock_guard lock(mutex_);
  auto& curve = progress_[key_of(job)].curves[job.seed];
  curve.erase(std::remove_if(curve.begin(), curve.end(), [&](const auto& at) { return at.first > step; }), curve.end());
}

std::string Search::why_pruned(const JobSpec& job) const {
  if (!pruner_) return {};  // called after every step
  const std::lock_guard lock(mutex_);
  const auto it = progress_.find(key_of(job));
  return it == progress_.end() ? "" : it->second.why_pruned;
}

}  // namespace yatlab
