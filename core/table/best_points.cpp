#include "core/table/best_points.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/record/point_index.h"
#include "core/verdict/statistics.h"

namespace yatlab {
namespace {

constexpr std::string_view kTest = "test/", kHeldBack = "validation/";

/// The value of one seed; empty if there is none.
std::optional<double> value_of(const Sample& sample, std::int64_t seed) {
  const auto at = std::find(sample.seeds.begin(), sample.seeds.end(), seed);
  if (at == sample.seeds.end()) return std::nullopt;
  return sample.values[static_cast<std::size_t>(at - sample.seeds.begin())];
}

/// Of the samples with the most values (a point with a diverged seed is not best), the one with the best mean without `seed`.
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

std::optional<std::string> held_back_metric(const std::string& metric) {
  if (metric.rfind(kTest, 0) != 0) return std::nullopt;
  return std::string(kHeldBack) + metric.substr(kTest.size());
}

BestPoints::BestPoints(const RunView& run, const ReportConfig& config, const TableSpec& spec) : run_(run), points_(run.points_at(spec.at)) {
  const auto& first = spec.columns.front().metric;
  chooser_ = spec.best_by.empty() ? first : spec.best_by;
  if (const auto held_back = held_back_metric(first); held_back && spec.best_by.empty()) {
    if (std::any_of(run.jobs.begin(), run.jobs.end(), [&](const JobView& job) { return job.metrics.count(*held_back) > 0; })) {
      chooser_ = *held_back;
    }
  }
  held_back_ = chooser_.rfind(kHeldBack, 0) == 0 && std::none_of(spec.columns.begin(), spec.columns.end(), [](const ColumnSpec& column) {
                 return column.metric.rfind(kHeldBack, 0) == 0;
               });
  higher_ = config.metric(chooser_).better == Direction::kHigher;
}

const BestPoints::Choice& BestPoints::choice_of(const std::string& arm) const {
  const auto known = choices_.find(arm);
  if (known != choices_.end()) return known->second;
  Choice& out = choices_[arm];
  out.best = run_.best_point(arm, points_, chooser_, higher_);
  const auto all = run_.points_of(arm);
  PointIndex index;
  for (const auto& own : all) index.add(own);
  std::vector<bool> shown(all.size());
  for (const auto& point : points_) {
    for (const auto own : index.parts_of(point)) shown[own] = true;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (shown[i]) out.points.push_back(all[i]);
  }
  if (held_back_ || out.points.size() < 2) return out;
  out.flatters = true;
  std::vector<Sample> choosing;
  std::size_t seeds = 0;
  for (const auto& point : out.points) {
    choosing.push_back(run_.sample(arm, point, chooser_));
    seeds = std::max(seeds, choosing.back().planned);
  }
  if (seeds < 2) return out;
  out.leaves_out = true;
  for (const auto seed : run_.seeds()) {
    if (const auto point = best_without(choosing, seed, higher_)) out.without.emplace_back(seed, *point);
  }
  return out;
}

Sample BestPoints::sample(const std::string& arm, const std::string& metric) const {
  const auto& choice = choice_of(arm);
  if (!choice.best) return {};
  Sample out = run_.sample(arm, *choice.best, metric);
  if (!choice.leaves_out) return out;
  out.values.clear();
  out.seeds.clear();
  out.jobs.clear();
  out.not_finite.clear();
  for (const auto& [seed, point] : choice.without) {
    const auto there = run_.sample(arm, choice.points[point], metric);
    const auto value = value_of(there, seed);
    if (std::find(there.not_finite.begin(), there.not_finite.end(), seed) != there.not_finite.end()) out.not_finite.push_back(seed);
    if (!value) continue;
    out.values.push_back(*value);
    out.seeds.push_back(seed);
  }
  return out;
}

}  // namespace yatlab
