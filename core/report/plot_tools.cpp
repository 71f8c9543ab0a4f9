#include "core/report/plot_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/report/format.h"
#include "core/report/table.h"
#include "core/report/titles.h"

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

std::vector<Node::Map> plot_points(const RunView& run, const Node& at) {
  std::vector<Node::Map> out;
  for (auto& point : run.points()) {
    if (!at.is_map() || point_matches(at.as_map(), point)) out.push_back(std::move(point));
  }
  if (out.empty()) {
    throw data_error("the run has no sweep point to plot", run.directory.string(), "none matches " + at.to_flow());
  }
  return out;
}

std::vector<Node::Map> arm_points(const RunView& run, const ReportConfig& config, const std::string& arm,
                                  const std::vector<Node::Map>& points, const std::string& best) {
  if (best.empty()) return points;
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
  for (const JobView* job : run.jobs_of(arm, point)) {
    if (job->state == JobState::kCompleted && (!seed || job->seed == *seed)) return *job;
  }
  throw data_error(fmt::format("no completed job of arm '{}'{}", arm, seed ? fmt::format(" with seed {}", *seed) : ""),
                   run.directory.string());
}

Error plot_error(const RunView& run, const PlotRequest& request, const std::string& why, const std::string& hint) {
  return data_error(fmt::format("cannot draw figure '{}'", request.id), run.directory.string(), why, hint);
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
    throw data_error(what + " is no grid", {}, "it needs x0, y0, cell, rows, columns and rows x columns values");
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

bool wants_log(const std::vector<double>& values) {
  if (values.size() < 2) return false;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low > 0 && *high / *low >= 30;
}

}  // namespace yatlab
