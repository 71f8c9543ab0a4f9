#include "core/report/best_points.h"

#include <algorithm>
#include <cmath>

#include "core/report/statistics.h"

namespace yatlab {
namespace {

/// The value of one seed; nothing without one.
std::optional<double> value_of(const Sample& sample, std::int64_t seed) {
  const auto at = std::find(sample.seeds.begin(), sample.seeds.end(), seed);
  if (at == sample.seeds.end()) return std::nullopt;
  return sample.values[static_cast<std::size_t>(at - sample.seeds.begin())];
}

/// Of those samples that have the most values (where a seed diverged, nothing is best), that with the best mean when `seed` is left out.
std::optional<std::size_t> best_without(const std::vector<Sample>& samples, std::int64_t seed, bool higher) {
  std::size_t most = 0;
  for (const auto& sample : samples) most = std::max(most, sample.values.size());
  std::optional<std::size_t> out;
  double best = 0;
  for (std::size_t p = 0; p < samples.size(); ++p) {
    if (samples[p].values.size() < most) continue;
    std::vector<double> values;
    for (std::size_t i = 0; i < samples[p].values.size(); ++i) {
      if (samples[p].seeds[i] != seed) values.push_back(samples[p].values[i]);
    }
    if (values.empty()) continue;
    const double score = (higher ? 1 : -1) * mean(values);
    if (out && score <= best) continue;
    best = score;
    out = p;
  }
  return out;
}

}  // namespace

BestPoints::BestPoints(const RunView& run, const ReportConfig& config, const TableSpec& spec) : run_(run) {
  for (auto& point : run.points()) {
    if (spec.at.size() == 0 || point_matches(spec.at.as_map(), point)) points_.push_back(std::move(point));
  }
  const auto& first = spec.columns.front().metric;
  chooser_ = spec.best_by.empty() ? first : spec.best_by;
  const std::string test = "test/", validation = "validation/";
  if (spec.best_by.empty() && first.rfind(test, 0) == 0) {
    const auto held_back = validation + first.substr(test.size());
    if (std::any_of(run.jobs.begin(), run.jobs.end(), [&](const JobView& job) { return job.metrics.count(held_back) > 0; })) {
      chooser_ = held_back;
    }
  }
  held_back_ = chooser_.rfind(validation, 0) == 0 && std::none_of(spec.columns.begin(), spec.columns.end(), [&](const ColumnSpec& column) {
                 return column.metric.rfind(validation, 0) == 0;
               });
  higher_ = config.metric(chooser_).better == Direction::kHigher;
}

std::vector<Node::Map> BestPoints::points_of(const std::string& arm) const {
  std::vector<Node::Map> out;
  for (const auto& own : run_.points_of(arm)) {
    if (std::any_of(points_.begin(), points_.end(), [&](const Node::Map& point) { return point_matches(own, point); })) out.push_back(own);
  }
  return out;
}

std::optional<Node::Map> BestPoints::of(const std::string& arm) const { return run_.best_point(arm, points_, chooser_, higher_); }

std::size_t BestPoints::candidates(const std::string& arm) const { return points_of(arm).size(); }

Sample BestPoints::sample(const std::string& arm, const std::string& metric) const {
  const auto best = of(arm);
  if (!best) return {};
  const auto shown = run_.sample(arm, *best, metric);
  const auto points = points_of(arm);
  std::vector<Sample> choosing;
  std::size_t seeds = 0;
  for (const auto& point : points) {
    choosing.push_back(run_.sample(arm, point, chooser_));
    seeds = std::max(seeds, choosing.back().planned);
  }
  if (!flatters(arm) || seeds < 2) return shown;
  Sample out = shown;
  out.values.clear();
  out.seeds.clear();
  out.jobs.clear();
  for (const auto seed : run_.seeds()) {
    const auto chosen = best_without(choosing, seed, higher_);
    if (!chosen) continue;
    const auto there = run_.sample(arm, points[*chosen], metric);
    const auto value = value_of(there, seed);
    if (!value) continue;
    out.values.push_back(*value);
    out.seeds.push_back(seed);
  }
  return out;
}

}  // namespace yatlab
