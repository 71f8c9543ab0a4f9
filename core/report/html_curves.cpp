#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/report/html_parts.h"
#include "core/report/plot_tools.h"
#include "core/report/statistics.h"
#include "core/report/titles.h"

namespace yatlab::html {
namespace {

using Json = nlohmann::ordered_json;

// Numbers on the page, all curves together: about seven bytes each.
constexpr std::size_t kBudget = 160'000;
constexpr std::size_t kMostPoints = 240, kLeastPoints = 16;
// Seeds of one arm that are drawn alone; means and bands rest on all.
constexpr std::size_t kMostSeeds = 10;
// Points that a job's curve is read with.
constexpr std::size_t kRead = 6000;

/// Values at each step, one a seed; NaN where a seed has logged none, infinity where it logged no number.
struct Series {
  std::map<double, std::vector<double>> at;
};
struct Group {
  std::string arm;
  Node::Map point;
  std::vector<std::int64_t> seeds;
  std::map<std::string, Series> metrics;
};

// Five digits: more than a screen can show.
Json rounded(double v) {
  if (!std::isfinite(v)) return {};
  const double r = std::strtod(fmt::format("{:.5g}", v).c_str(), nullptr);
  if (r == std::floor(r) && std::abs(r) < 1e9) return static_cast<std::int64_t>(r);
  return r;
}

void add_job(const RunView& run, const JobView& job, Group& group) {
  const std::size_t mine = group.seeds.size();
  group.seeds.push_back(job.seed);
  std::map<std::string, std::vector<std::pair<double, double>>> logged;
  for (const auto& point : run.curve(job)) {
    for (const auto& [name, value] : point.values) logged[name].emplace_back(point.step, value);
  }
  for (const auto& [name, points] : logged) {
    // Every k-th: seeds that log at the same steps keep the same ones.
    const std::size_t k = (points.size() + kRead - 1) / kRead;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i % k != 0 && i + 1 != points.size()) continue;
      auto& values = group.metrics[name].at[points[i].first];
      values.resize(mine + 1, kNaN);
      values[mine] = std::isfinite(points[i].second) ? points[i].second : std::numeric_limits<double>::infinity();
    }
  }
}

struct Moments {
  double mean = kNaN;
  std::optional<double> std;
  std::size_t n = 0;
};

Moments moments(const std::vector<double>& values) {
  std::vector<double> finite;
  for (const double v : values) {
    if (std::isfinite(v)) finite.push_back(v);
  }
  return {mean(finite), sample_std(finite), finite.size()};
}

// Steps at which every seed that is under way has logged. At others (a seed's last evaluation, say) a mean over those
// that have would jump. All steps when seeds never agree.
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

// The steps to keep: of each bucket those where the mean is lowest and highest, so that no spike is lost; and the
// first and the last step.
std::vector<double> thinned(const Series& series, std::size_t most) {
  const std::vector<double> steps = common_steps(series);
  if (steps.size() <= most) return steps;
  std::vector<double> means;
  for (const double step : steps) means.push_back(moments(series.at.at(step)).mean);
  std::set<std::size_t> keep = {0, steps.size() - 1};
  const std::size_t buckets = most / 2 - 1;
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t first = b * steps.size() / buckets, last = (b + 1) * steps.size() / buckets;
    std::size_t low = first, high = first;
    for (std::size_t i = first; i < last; ++i) {
      if (means[i] < means[low] || std::isnan(means[low])) low = i;
      if (means[i] > means[high] || std::isnan(means[high])) high = i;
    }
    keep.insert({low, high});
  }
  std::vector<double> out;
  for (const std::size_t i : keep) out.push_back(steps[i]);
  return out;
}

Json series_json(const Series& series, std::size_t group, const Group& owner, std::size_t most, std::size_t seeds) {
  Json x = Json::array(), m = Json::array(), s = Json::array(), n = Json::array(), lines = Json::array();
  for (std::size_t k = 0; k < std::min(seeds, owner.seeds.size()); ++k) lines.push_back(Json::array());
  std::size_t constant = 0;
  bool varies = false, spread = false;
  for (const double step : thinned(series, most)) {
    const auto& values = series.at.at(step);
    const auto all = moments(values);
    x.push_back(rounded(step));
    m.push_back(rounded(all.mean));
    s.push_back(all.std ? rounded(*all.std) : Json());
    spread = spread || all.std;
    n.push_back(all.n);
    varies = varies || (constant != 0 && constant != all.n);
    constant = all.n;
    for (std::size_t k = 0; k < lines.size(); ++k) lines[k].push_back(k < values.size() ? rounded(values[k]) : Json());
  }
  Json out = {{"g", group}, {"x", std::move(x)}, {"m", std::move(m)}};
  if (spread) out["s"] = std::move(s);
  out["n"] = varies ? std::move(n) : Json(constant);
  if (lines.size() > 1) out["seeds"] = std::move(lines);
  return out;
}

}  // namespace

Json curves(const RunView& run, const ReportConfig& config) {
  std::vector<Group> groups;
  std::set<std::string> names;
  std::size_t series = 0, most_seeds = 0, longest = 0;
  for (const auto& arm : run.arms) {
    for (const auto& point : run.points_of(arm)) {
      Group group{arm, point, {}, {}};
      for (const JobView* job : run.jobs_of(arm, point)) add_job(run, *job, group);
      if (group.metrics.empty()) continue;
      for (const auto& entry : group.metrics) {
        names.insert(entry.first);
        longest = std::max(longest, entry.second.at.size());
      }
      series += group.metrics.size();
      most_seeds = std::max(most_seeds, group.seeds.size());
      groups.push_back(std::move(group));
    }
  }
  if (groups.empty()) return {};
  std::size_t seeds = std::min(most_seeds, kMostSeeds);
  std::size_t most = kBudget / (series * (3 + seeds));
  if (most < 4 * kLeastPoints) {
    seeds = 0;  // rather fewer lines than coarse ones
    most = kBudget / (series * 3);
  }
  most = std::clamp(most, kLeastPoints, kMostPoints);

  Json out = {{"metrics", Json::array()},  {"groups", Json::array()}, {"arms", Json::array()}, {"swept", Json::array()},
              {"thinned", longest > most}, {"seeds", seeds},          {"of_seeds", most_seeds}};
  const auto titles = parameter_titles(run.swept, config.parameters);
  for (std::size_t i = 0; i < run.swept.size(); ++i)
    out["swept"].push_back({{"name", run.swept[i]}, {"short", titles[i]}, {"lead", titled_value(titles[i], Node(""))}});
  for (const auto& arm : run.arms) out["arms"].push_back(plain_text(config.arm_label(arm)));
  for (const auto& group : groups) {
    Json entry = {{"arm", std::find(run.arms.begin(), run.arms.end(), group.arm) - run.arms.begin()},
                  {"point", Json::array()},
                  {"seeds", group.seeds}};
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
