#include "core/report/plot_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/figure/layout.h"
#include "core/record/point_index.h"
#include "core/table/table.h"
#include "core/verdict/display_titles.h"
#include "core/verdict/format.h"
#include "core/verdict/statistics.h"

namespace yatlab {

std::vector<std::string> plot_arms(const RunView& run, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return run.arms;
  std::vector<std::string> out;
  for (const auto& arm : wanted) {
    if (std::find(run.arms.begin(), run.arms.end(), arm) != run.arms.end()) out.push_back(arm);
  }
  if (out.empty()) {
    throw data_error("the run has none of the arms to plot", run.directory.string(), "it has " + join(run.arms, ", "));
  }
  return out;
}

std::vector<std::string> completed_arms(const RunView& run, const std::vector<std::string>& wanted) {
  auto out = plot_arms(run, wanted);
  const auto has_none = [&](const std::string& arm) {
    return std::none_of(run.jobs.begin(), run.jobs.end(),
                        [&](const JobView& job) { return job.arm == arm && job.state == JobState::kCompleted; });
  };
  const auto all = join(out, ", ");
  out.erase(std::remove_if(out.begin(), out.end(), has_none), out.end());
  if (out.empty()) throw data_error("none of the arms to plot has a completed job", run.directory.string(), all);
  return out;
}

std::vector<Node::Map> plot_points(const RunView& run, const Node& at) {
  auto out = run.points_at(at);
  if (out.empty()) {
    throw data_error("the run has no sweep point to plot", run.directory.string(), "none matches " + at.to_flow());
  }
  return out;
}

std::vector<Node::Map> arm_points(const RunView& run, const ReportConfig& config, const std::string& arm,
                                  const std::vector<Node::Map>& points, const std::string& best) {
  if (best.empty()) {
    std::vector<Node::Map> out;
    for (const auto& point : points) {
      if (auto own = run.point_of(arm, point)) out.push_back(std::move(*own));
    }
    return distinct_points(std::move(out));
  }
  const auto found = run.best_point(arm, points, best, config.metric(best).better == Direction::kHigher);
  return found ? std::vector<Node::Map>{*found} : std::vector<Node::Map>{};
}

std::string rest_label(const ReportConfig& config, const Node::Map& point, const std::vector<std::string>& drop) {
  Node::Map rest;
  for (const auto& entry : point) {
    if (std::find(drop.begin(), drop.end(), entry.first) == drop.end()) rest.push_back(entry);
  }
  return point_title(rest, config.parameters);
}

Node point_value(const Node::Map& point, const std::string& parameter) {
  for (const auto& [key, value] : point) {
    if (key == parameter) return value;
  }
  return {};
}

const JobView& plot_job(const RunView& run, const std::string& arm, const Node::Map& point, std::optional<std::int64_t> seed) {
  const JobView* first = nullptr;
  for (const JobView* job : run.jobs_of(arm, point)) {
    if (job->state != JobState::kCompleted) continue;
    if (seed && job->seed == *seed) return *job;
    if (!first) first = job;
  }
  if (first) return *first;
  throw data_error(fmt::format("there is no completed job of arm '{}'{}", arm, point.empty() ? "" : " at " + point_label(point)),
                   run.directory.string());
}

Error plot_error(const RunView& run, const PlotRequest& request, const std::string& why, const std::string& hint) {
  return data_error(fmt::format("cannot draw figure '{}'", request.id), run.directory.string(), why, hint);
}

void require_swept(const RunView& run, const PlotRequest& request, const std::vector<std::string>& parameters) {
  for (const auto& name : parameters) {
    if (std::find(run.swept.begin(), run.swept.end(), name) != run.swept.end()) continue;
    throw plot_error(run, request, fmt::format("'{}' was not swept", name),
                     "swept: " + (run.swept.empty() ? "nothing" : join(run.swept, ", ")));
  }
}

std::vector<double> json_numbers(const nlohmann::json& array) {
  std::vector<double> out;
  if (array.is_array()) {
    for (const auto& item : array) {
      const auto inner = json_numbers(item);
      out.insert(out.end(), inner.begin(), inner.end());
    }
  } else {
    out.push_back(array.is_number() ? array.get<double>() : kNaN);
  }
  return out;
}

Heat json_grid(const nlohmann::json& grid, const std::string& what) {
  Heat out;
  const auto number = [&](const char* key) {
    return grid.is_object() && grid.contains(key) && grid[key].is_number() ? grid[key].get<double>() : kNaN;
  };
  const double rows = number("rows"), columns = number("columns");
  out.x0 = number("x0");
  out.y0 = number("y0");
  out.cell = number("cell");
  if (grid.is_object() && grid.contains("values")) out.values = json_numbers(grid["values"]);
  if (!(rows >= 1 && columns >= 1 && out.cell > 0) || !std::isfinite(out.x0 + out.y0) ||
      rows * columns != static_cast<double>(out.values.size())) {
    throw data_error(what + " is not a grid", {}, "it needs x0, y0, cell, rows, columns and rows x columns values");
  }
  out.rows = static_cast<std::size_t>(rows);
  out.columns = static_cast<std::size_t>(columns);
  return out;
}

nlohmann::json plot_artifact(const RunView& run, const PlotRequest& request, const JobView& job, const std::string& name) {
  auto json = run.artifact(job, name);
  if (!json) {
    throw plot_error(run, request, fmt::format("{} has no artifact '{}'", job.directory, name),
                     "add the study or analysis that writes it to the experiment");
  }
  return std::move(*json);
}

std::string caption_of(const std::vector<std::string>& sentences) {
  std::vector<std::string> some;
  for (const auto& s : sentences) {
    if (!s.empty()) some.push_back(s);
  }
  return join(some, " ");
}

std::string vector_text(const std::vector<double>& v) {
  std::vector<std::string> parts;
  for (double x : v) parts.push_back(fmt::format("{:g}", x));
  return "(" + join(parts, ", ") + ")";
}

std::string metric_title(const ReportConfig& config, const std::string& metric) {
  const std::string title = config.metric(metric).title;
  return title == metric ? readable_metric(metric) : plain_text(title);
}

std::string axis_title(const ReportConfig& config, const std::string& metric) {
  const std::string unit = config.metric(metric).unit;
  return metric_title(config, metric) + (unit.empty() ? "" : " (" + plain_text(unit) + ")");
}

bool wants_log(const std::vector<double>& values) {
  if (values.size() < 2) return false;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low > 0 && *high / *low >= 30;
}

bool wants_log_places(std::vector<double> places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  if (places.size() < 2 || places.front() <= 0) return false;
  if (wants_log(places)) return true;
  if (places.size() == 2) return places.back() / places.front() >= 8;
  const auto unevenness = [&](const auto& distance) {
    double least = INFINITY, most = 0;
    for (std::size_t i = 1; i < places.size(); ++i) {
      const double d = distance(places[i - 1], places[i]);
      least = std::min(least, d);
      most = std::max(most, d);
    }
    return most / least;
  };
  return places.back() / places.front() >= 8 &&
         unevenness([](double a, double b) { return std::log(b / a); }) < unevenness([](double a, double b) { return b - a; });
}

std::vector<std::pair<double, std::string>> place_ticks(std::vector<std::pair<double, std::string>> places, bool log, double length) {
  std::sort(places.begin(), places.end());
  if (places.size() < 2) return places;
  const auto at = [&](double v) { return log ? std::log(v) : v; };
  const double scale = length / (1.08 * (at(places.back().first) - at(places.front().first)));
  double taken = -INFINITY;
  // The last place always gets its name.
  const double last = at(places.back().first) * scale - text_width(places.back().second) / 2 - 0.06;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double middle = at(places[i].first) * scale, half = text_width(places[i].second) / 2;
    if (i + 1 < places.size() && (middle - half < taken || middle + half > last)) {
      places[i].second.clear();
    } else {
      taken = middle + half + 0.06;
    }
  }
  return places;
}

void SeedsSeen::add(const std::vector<std::int64_t>& seeds) {
  if (seeds.empty()) return;
  fewest_ = most_ == 0 ? seeds.size() : std::min(fewest_, seeds.size());
  most_ = std::max(most_, seeds.size());
  seeds_.insert(seeds.begin(), seeds.end());
}

std::string SeedsSeen::text(const std::string& more) const {
  if (most_ == 0) return {};
  if (most_ == 1) return fmt::format("One seed{} ({}).", seeds_.size() > 1 ? " each" : "", fmt::join(seeds_, ", "));
  const bool in_a_row = seeds_.size() > 2 && *seeds_.rbegin() - *seeds_.begin() + 1 == static_cast<std::int64_t>(seeds_.size());
  return fmt::format("Means over n = {} seeds ({}){}.", fewest_ == most_ ? std::to_string(most_) : fmt::format("{} to {}", fewest_, most_),
                     in_a_row ? fmt::format("{} to {}", *seeds_.begin(), *seeds_.rbegin()) : fmt::format("{}", fmt::join(seeds_, ", ")),
                     more);
}

void NotFinite::add(const std::string& where, const Sample& sample) {
  if (sample.not_finite.empty()) return;
  auto place = fmt::format("{} ({} of {} seeds)", where, sample.not_finite.size(), sample.planned);
  if (std::find(places_.begin(), places_.end(), place) == places_.end()) places_.push_back(std::move(place));
}

std::string NotFinite::text() const {
  constexpr std::size_t kMaxPlacesListed = 8;
  if (places_.empty()) return {};
  const auto listed = std::min(places_.size(), kMaxPlacesListed);
  const std::string more = places_.size() > listed ? fmt::format("; and {} more", places_.size() - listed) : "";
  return fmt::format("Not finite: {}{}.", join({places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(listed)}, "; "), more);
}

void ReferenceLevel::declare(Fields& f, ReferenceLevel& p) {
  f.field("metric", p.metric, "metric to draw: its mean over all finished jobs that have it").required();
  f.field("label", p.label, "label at the right edge; default: the metric's title");
  f.field("panel", p.panel, "in a figure with several panels: the metric whose panel shows it; default: all panels");
}

std::vector<ReferenceLevel> read_references(const Node& node) {
  std::vector<ReferenceLevel> out;
  if (node.is_null()) return out;
  if (!node.is_list()) return {read_checked<ReferenceLevel>(node, "reference")};
  for (std::size_t i = 0; i < node.as_list().size(); ++i)
    out.push_back(read_checked<ReferenceLevel>(node.as_list()[i], fmt::format("reference.{}", i)));
  return out;
}

void add_references(Panel& panel, const RunView& run, const PlotRequest& request, const std::vector<ReferenceLevel>& references,
                    const std::string& metric) {
  for (const auto& reference : references) {
    if (!reference.panel.empty() && reference.panel != metric) continue;
    std::vector<double> values;
    std::size_t measured = 0;
    for (const JobView& job : run.jobs) {
      const auto value = job.metrics.find(reference.metric);
      measured += value != job.metrics.end();
      if (value != job.metrics.end() && std::isfinite(value->second)) values.push_back(value->second);
    }
    if (values.empty()) throw plot_error(run, request, fmt::format("no job has the metric '{}' of its reference", reference.metric));
    Line line;
    line.label = reference.label.empty() ? metric_title(*request.config, reference.metric) : plain_text(reference.label);
    if (values.size() < measured) line.label += fmt::format(" (finite: {} of {})", values.size(), measured);
    line.level = true;
    line.y = {mean(values)};
    panel.lines.push_back(std::move(line));
  }
}

}  // namespace yatlab
