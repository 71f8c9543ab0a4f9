#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/figure/latex_text.h"
#include "core/report/html_parts.h"
#include "core/report/plot_tools.h"
#include "core/verdict/display_titles.h"
#include "core/verdict/seeds_left.h"
#include "core/verdict/statistics.h"

namespace yatlab::html {
namespace {

using Json = nlohmann::ordered_json;

// Maximum of numbers on the page, over all curves: about seven bytes each.
constexpr std::size_t kBudget = 160'000;
constexpr std::size_t kMostPoints = 240, kLeastPoints = 16;
// Maximum of curves for the points of a search or sweep: the best ones.
constexpr std::size_t kMostGroups = 300;
// Maximum of seeds per arm with their own curves; means and bands include all.
constexpr std::size_t kMostSeeds = 10;
// Up to this many steps, all values of every seed are kept; of longer logs, the steps where the mean is lowest or highest.
constexpr std::size_t kRead = 6000;
// Maximum of places where values that are not finite are marked.
constexpr std::size_t kMostMarks = 60;

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double v) { low = std::min(low, v), high = std::max(high, v); }
};

/// Values at each step, one per seed; NaN if a seed has logged none, infinity for values that are not finite.
struct Series {
  std::map<double, std::vector<double>> at;
  std::map<double, Range> ranges;  ///< of finite values of all seeds at the steps up to this one
  std::set<double> not_finite;     ///< steps
  SeedsLeft left;
};

/// The epochs and tokens of some rows of a log, spread over all of it.
class Places {
 public:
  void add(const MetricRow& row) {
    last_ = row;
    last_.metrics.clear();
    if (count_++ % every_ != 0) return;
    if (kept_.size() == kMaxKept) {
      for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = kept_[2 * i];
      kept_.resize(kMaxKept / 2);
      every_ *= 2;
      if ((count_ - 1) % every_ != 0) return;
    }
    kept_.push_back(last_);
  }
  Json json() const;

 private:
  static constexpr std::size_t kMaxKept = 16;
  std::vector<MetricRow> kept_;
  MetricRow last_;
  std::size_t count_ = 0, every_ = 1;
};

struct Group {
  std::string arm;
  Node::Map point;
  std::vector<std::int64_t> seeds;
  std::map<std::string, Series> metrics;
  Places places = {};
};

// Five digits are more than a screen can show.
Json rounded(double v) {
  if (!std::isfinite(v)) return {};
  const double r = std::strtod(fmt::format("{:.5g}", v).c_str(), nullptr);
  if (r == std::floor(r) && std::abs(r) < 1e9) return static_cast<std::int64_t>(r);
  return r;
}

Json Places::json() const {
  Json out = {{"step", Json::array()}, {"epoch", Json::array()}, {"tokens", Json::array()}};
  auto rows = kept_;
  if (!rows.empty() && rows.back().step < last_.step) rows.push_back(last_);
  for (const auto& row : rows) {
    out["step"].push_back(row.step);
    out["epoch"].push_back(rounded(row.epoch));
    if (row.tokens) out["tokens"].push_back(*row.tokens);
  }
  if (out["tokens"].size() != rows.size()) out.erase("tokens");
  return out;
}

/// Whether a log has more lines than this.
bool is_longer(const fs::path& log, std::size_t lines) {
  std::error_code ec;
  const auto size = fs::file_size(log, ec);
  if (ec || size <= lines) return false;
  std::ifstream in(log, std::ios::binary);
  std::size_t found = 0;
  for (std::vector<char> buffer(1 << 16); found <= lines && in;) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    found += static_cast<std::size_t>(std::count(buffer.begin(), buffer.begin() + in.gcount(), '\n'));
  }
  return found > lines;
}

void add_value(Series& series, std::size_t seed, double step, double value) {
  auto& values = series.at[step];
  values.resize(std::max(values.size(), seed + 1), kNaN);
  values[seed] = std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

/// The indices to keep of a curve with these `means`: the lowest and the highest of each stretch, the first and the last.
std::vector<std::size_t> extremes(const std::vector<double>& means, std::size_t stretches) {
  std::set<std::size_t> keep = {0, means.size() - 1};
  for (std::size_t b = 0; b < stretches; ++b) {
    const std::size_t first = b * means.size() / stretches, last = (b + 1) * means.size() / stretches;
    std::size_t low = first, high = first;
    for (std::size_t i = first; i < last; ++i) {
      if (means[i] < means[low] || std::isnan(means[low])) low = i;
      if (means[i] > means[high] || std::isnan(means[high])) high = i;
    }
    keep.insert({low, high});
  }
  return {keep.begin(), keep.end()};
}

/// The sum over all seeds of one metric at each step, so that logs of millions of rows are not held for every seed.
class Sums {
 public:
  /// A seed's log, by step.
  void add(std::vector<std::pair<double, double>> log) {
    if (log.empty()) return;
    std::stable_sort(log.begin(), log.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    ranges_.emplace_back(log.front().first, log.back().first);
    std::vector<Sum> out;
    out.reserve(sums_.size() + log.size());
    auto known = sums_.begin();
    for (auto it = log.begin(); it != log.end(); ++it) {
      if (std::next(it) != log.end() && std::next(it)->first == it->first) continue;  // the last value of a step counts
      for (; known != sums_.end() && known->step < it->first; ++known) out.push_back(*known);
      Sum sum{it->first, 0, 0, 0};
      if (known != sums_.end() && known->step == it->first) sum = *known++;
      ++sum.logged;
      if (std::isfinite(it->second)) {
        sum.total += it->second;
        ++sum.finite;
      }
      out.push_back(sum);
    }
    out.insert(out.end(), known, sums_.end());
    sums_ = std::move(out);
  }

  /// The steps to read again, about `most` at most, ascending.
  std::vector<double> kept(std::size_t most) const {
    std::vector<Sum> used;
    for (const auto& sum : sums_) {
      const auto under_way = std::count_if(ranges_.begin(), ranges_.end(),
                                           [&](const auto& range) { return range.first <= sum.step && sum.step <= range.second; });
      if (sum.logged == static_cast<std::size_t>(under_way)) used.push_back(sum);
    }
    if (used.size() < 2) used = sums_;
    std::vector<double> out;
    if (used.size() <= most) {
      for (const auto& sum : used) out.push_back(sum.step);
      return out;
    }
    std::vector<double> means;
    for (const auto& sum : used) means.push_back(sum.finite == 0 ? kNaN : sum.total / static_cast<double>(sum.finite));
    for (const auto i : extremes(means, most / 2)) out.push_back(used[i].step);
    return out;
  }

 private:
  struct Sum {
    double step, total;
    std::uint32_t finite, logged;
  };
  std::vector<Sum> sums_;
  std::vector<std::pair<double, double>> ranges_;  // of the seeds
};

using Logs = std::map<std::string, std::vector<std::pair<double, double>>>;

Group read_group(const RunView& run, const std::string& arm, const Node::Map& point) {
  Group group{arm, point, {}, {}, {}};
  const auto jobs = run.jobs_of(arm, point);
  const bool all = std::none_of(jobs.begin(), jobs.end(),
                                [&](const JobView* job) { return is_longer(run.directory / job->directory / "metrics.jsonl", kRead); });
  std::map<std::string, Sums> sums;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    group.seeds.push_back(jobs[k]->seed);
    Logs logs;
    run.each_row(*jobs[k], [&](const MetricRow& row) {
      const auto step = static_cast<double>(row.step);
      for (const auto& [name, value] : row.metrics) {
        auto& series = group.metrics[name];
        series.left.add(k, step, std::isfinite(value));
        if (!std::isfinite(value)) series.not_finite.insert(step);
        if (all) {
          add_value(series, k, step, value);
          if (std::isfinite(value)) series.ranges[step].add(value);
        } else {
          logs[name].emplace_back(step, value);
        }
      }
      if (k == 0) group.places.add(row);
    });
    for (auto& [name, log] : logs) sums[name].add(std::move(log));
  }
  if (all) return group;
  std::map<std::string, std::vector<double>> kept;
  for (const auto& [name, sum] : sums) kept[name] = sum.kept(kRead);
  sums.clear();
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    run.each_row(*jobs[k], [&](const MetricRow& row) {
      const auto step = static_cast<double>(row.step);
      for (const auto& [name, value] : row.metrics) {
        const auto& steps = kept[name];
        auto& series = group.metrics[name];
        const auto next = std::lower_bound(steps.begin(), steps.end(), step);
        if (next != steps.end() && *next == step) add_value(series, k, step, value);
        if (std::isfinite(value) && !steps.empty()) series.ranges[next == steps.end() ? steps.back() : *next].add(value);
      }
    });
  }
  return group;
}

std::vector<double> finite(const std::vector<double>& values) {
  std::vector<double> out;
  std::copy_if(values.begin(), values.end(), std::back_inserter(out), [](double v) { return std::isfinite(v); });
  return out;
}

// Steps that all running seeds have logged. At others (say, one seed's last evaluation) the mean over fewer seeds would jump. All steps if seeds
// never agree.
std::vector<double> common_steps(const Series& series) {
  std::vector<double> first, last;
  for (const auto& [step, values] : series.at) {
    first.resize(std::max(first.size(), values.size()), kNaN);
    last.resize(first.size(), kNaN);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (std::isnan(values[k])) continue;
      if (std::isnan(first[k])) first[k] = step;
      last[k] = step;
    }
  }
  std::vector<double> all, common;
  for (const auto& [step, values] : series.at) {
    std::size_t under_way = 0, logged = 0;
    for (std::size_t k = 0; k < first.size(); ++k) {
      under_way += first[k] <= step && step <= last[k];
      logged += k < values.size() && !std::isnan(values[k]);
    }
    all.push_back(step);
    if (logged == under_way) common.push_back(step);
  }
  return common.size() < 2 ? all : common;
}

// The steps to keep: in each bucket those with the lowest and highest mean, so that no spike is lost; and the first and last step.
std::vector<double> thinned(const Series& series, std::size_t most) {
  const std::vector<double> steps = common_steps(series);
  if (steps.size() <= most) return steps;
  std::vector<double> means;
  for (const double step : steps) means.push_back(mean(finite(series.at.at(step))));
  std::vector<double> out;
  for (const std::size_t i : extremes(means, most / 2 - 1)) out.push_back(steps[i]);
  return out;
}

Json series_json(const Series& series, std::size_t group, const Group& owner, std::size_t most, std::size_t seeds) {
  Json x = Json::array(), m = Json::array(), lo = Json::array(), hi = Json::array(), n = Json::array(), lines = Json::array();
  for (std::size_t k = 0; k < std::min(seeds, owner.seeds.size()); ++k) lines.push_back(Json::array());
  std::size_t constant = 0;
  bool varies = false, spread = false;
  const auto steps = thinned(series, most);
  auto near = series.ranges.begin();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& values = series.at.at(steps[i]);
    const auto all = finite(values);
    Range range;  // of all steps since the one before
    for (; near != series.ranges.end() && (near->first <= steps[i] || i + 1 == steps.size()); ++near)
      range.add(near->second.low), range.add(near->second.high);
    x.push_back(rounded(steps[i]));
    m.push_back(rounded(mean(all)));
    lo.push_back(rounded(range.low));
    hi.push_back(rounded(range.high));
    spread = spread || range.low < range.high;
    n.push_back(all.size());
    varies = varies || (constant != 0 && constant != all.size());
    constant = all.size();
    for (std::size_t k = 0; k < lines.size(); ++k) lines[k].push_back(k < values.size() ? rounded(values[k]) : Json());
  }
  Json out = {{"g", group}, {"x", std::move(x)}, {"m", std::move(m)}};
  if (spread) out["lo"] = std::move(lo), out["hi"] = std::move(hi);
  out["n"] = varies ? std::move(n) : Json(constant);
  if (lines.size() > 1) out["seeds"] = std::move(lines);
  const std::vector<double> marks(series.not_finite.begin(), series.not_finite.end());
  for (std::size_t i = 0, shown = std::min(kMostMarks, marks.size()); i < shown; ++i)
    out["bad"].push_back(rounded(marks[i * marks.size() / shown]));
  if (auto left = series.left.text("step"); !left.empty()) out["left"] = std::move(left);
  return out;
}

/// The metric that chooses the curves to show: the search's, else the first table column with a better direction; "" without one.
std::string choosing_metric(const RunView& run, const ReportConfig& config) {
  if (run.search) return run.search->metric;
  for (const auto& table : config.tables) {
    for (const auto& column : table.columns) {
      if (config.metric(column.metric).better != Direction::kNone) return column.metric;
    }
  }
  return {};
}

struct Shown {
  std::vector<std::pair<std::string, Node::Map>> groups;  ///< arm and point, in the plan's order
  std::size_t of = 0;                                     ///< their total number
  std::string by;
};

Shown shown_groups(const RunView& run, const ReportConfig& config) {
  Shown out;
  for (const auto& arm : run.arms) {
    for (auto& point : run.points_of(arm)) out.groups.emplace_back(arm, std::move(point));
  }
  out.of = out.groups.size();
  if (out.of <= kMostGroups) return out;
  out.by = choosing_metric(run, config);
  const double sign = run.search ? (run.search->higher ? 1 : -1) : config.metric(out.by).better == Direction::kHigher ? 1 : -1;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < out.of; ++i) {
    const auto values = out.by.empty() ? std::vector<double>() : run.sample(out.groups[i].first, out.groups[i].second, out.by).values;
    order.emplace_back(values.empty() ? std::numeric_limits<double>::infinity() : -sign * mean(values), i);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  order.resize(kMostGroups);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<std::pair<std::string, Node::Map>> best;
  for (const auto& [score, i] : order) best.push_back(std::move(out.groups[i]));
  out.groups = std::move(best);
  return out;
}

}  // namespace

Json curves(const RunView& run, const ReportConfig& config) {
  std::vector<Group> groups;
  std::set<std::string> names;
  std::size_t series = 0, most_seeds = 0, longest = 0;
  const auto shown = shown_groups(run, config);
  for (const auto& [arm, point] : shown.groups) {
    Group group = read_group(run, arm, point);
    if (group.metrics.empty()) continue;
    for (const auto& entry : group.metrics) {
      names.insert(entry.first);
      longest = std::max(longest, entry.second.at.size());
    }
    series += group.metrics.size();
    most_seeds = std::max(most_seeds, group.seeds.size());
    groups.push_back(std::move(group));
  }
  if (groups.empty()) return {};
  std::size_t seeds = std::min(most_seeds, kMostSeeds);
  std::size_t most = kBudget / (series * (5 + seeds));
  if (most < 4 * kLeastPoints) {
    seeds = 0;  // prefer fewer lines to coarse ones
    most = kBudget / (series * 5);
  }
  most = std::clamp(most, kLeastPoints, kMostPoints);

  Json out = {
      {"metrics", Json::array()}, {"groups", Json::array()}, {"thinned", longest > most}, {"seeds", seeds}, {"of_seeds", most_seeds}};
  if (shown.groups.size() < shown.of) {
    out["of_groups"] = shown.of;
    out["by"] = shown.by.empty() ? "" : metric_title(config, shown.by);
  }
  for (const auto& group : groups) {
    Json entry = {{"arm", std::find(run.arms.begin(), run.arms.end(), group.arm) - run.arms.begin()},
                  {"point", Json::array()},
                  {"seeds", group.seeds},
                  {"at", group.places.json()}};
    for (const auto& parameter : run.swept) {
      const auto at = std::find_if(group.point.begin(), group.point.end(), [&](const auto& p) { return p.first == parameter; });
      entry["point"].push_back(at == group.point.end() ? "" : format_parameter(at->second));
    }
    out["groups"].push_back(std::move(entry));
  }
  for (const auto& name : names) {
    const auto info = config.metric(name);
    Json metric = {{"name", name}, {"title", metric_title(config, name)}, {"percent", is_percent(info.format)}, {"series", Json::array()}};
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto found = groups[g].metrics.find(name);
      if (found != groups[g].metrics.end()) metric["series"].push_back(series_json(found->second, g, groups[g], most, seeds));
    }
    out["metrics"].push_back(std::move(metric));
  }
  return out;
}

}  // namespace yatlab::html
