#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/figure/figure.h"
#include "core/table/plot.h"

namespace yatlab {

// Helpers for several plots.

/// The arms in `wanted` that the run has, or all of its arms if it is empty. Throws when none is left.
std::vector<std::string> plot_arms(const RunView& run, const std::vector<std::string>& wanted);

/// The same, but only arms with a completed job, for plots that show one of each; throws when none has one.
std::vector<std::string> completed_arms(const RunView& run, const std::vector<std::string>& wanted);

/// The points of the run's sweep that match `at` (a map or null); throws when there are none. RunView::jobs_of works for every arm at such a point.
std::vector<Node::Map> plot_points(const RunView& run, const Node& at);

/// The points of one arm in a plot: those that `points` become for it (one for many if it lacks a swept parameter), or the one with the best value of
/// `best` (a metric; empty: none).
std::vector<Node::Map> arm_points(const RunView& run, const ReportConfig& config, const std::string& arm,
                                  const std::vector<Node::Map>& points, const std::string& best);

/// The point without the parameters in `drop`: "ε = 0.1, batch size 64"; "" when nothing is left.
std::string rest_label(const ReportConfig& config, const Node::Map& point, const std::vector<std::string>& drop);
/// The value of a parameter, or null.
Node point_value(const Node::Map& point, const std::string& parameter);

/// The completed job of `arm` with `seed`; without a seed, or if that one is missing, the one with the lowest seed. Throws if none completed.
const JobView& plot_job(const RunView& run, const std::string& arm, const Node::Map& point, std::optional<std::int64_t> seed);

/// The error of a plot when the run lacks its data: "run X has no ...".
Error plot_error(const RunView& run, const PlotRequest& request, const std::string& why, const std::string& hint = {});

/// Throws if one of the parameters is not in the run's sweep.
void require_swept(const RunView& run, const PlotRequest& request, const std::vector<std::string>& parameters);

/// Numbers of a nested or flat JSON array, row-major; NaN for null.
std::vector<double> json_numbers(const nlohmann::json& array);

/// A grid from an artifact: {"x0", "y0", "cell", "rows", "columns", "values"}, rows from the top. Throws a data error that starts with `what` if it
/// is malformed.
Heat json_grid(const nlohmann::json& grid, const std::string& what);
/// The artifact of a job, with the plot's usual error when there is none.
nlohmann::json plot_artifact(const RunView& run, const PlotRequest& request, const JobView& job, const std::string& name);
/// Joins the sentences of a caption; empty ones are omitted.
std::string caption_of(const std::vector<std::string>& sentences);
/// "(1, 0.5)"
std::string vector_text(const std::vector<double>& v);

/// A metric's title without $math$, with its share as a percentage when printed so.
std::string metric_title(const ReportConfig& config, const std::string& metric);
/// With its unit: "test loss (nats)".
std::string axis_title(const ReportConfig& config, const std::string& metric);

/// True for positive numbers that span a factor of 30 or more.
bool wants_log(const std::vector<double>& values);
/// True if a logarithmic axis spreads these values of a swept parameter more evenly: 1e-4, 3e-4, 1e-3.
bool wants_log_places(std::vector<double> places);

/// A tick at each place, with names where they fit on an axis of this length (inches).
std::vector<std::pair<double, std::string>> place_ticks(std::vector<std::pair<double, std::string>> places, bool log, double length);

/// Collects the seeds that a figure shows, for its caption.
class SeedsSeen {
 public:
  /// The seeds of one value, mean or curve; empty if there is nothing to show.
  void add(const std::vector<std::int64_t>& seeds);
  /// "Means over n = 5 seeds (0 to 4)", "Means over n = 2 to 3 seeds (0, 1, 7)", then `more` and a full stop; "One seed (0)." or "One seed each (0,
  /// 3)." if there are no means; "" without seeds.
  std::string text(const std::string& more = {}) const;

 private:
  std::size_t fewest_ = 0, most_ = 0;  // seeds per value
  std::set<std::int64_t> seeds_;
};

/// Collects values in a figure that are means of fewer seeds because others are not finite, for its note.
class NotFinite {
 public:
  void add(const std::string& where, const Sample& sample);
  /// "Not finite: yat, ε = 0.1 (5 of 12 seeds); linear (1 of 12 seeds)."; "" if all are finite.
  std::string text() const;

 private:
  std::vector<std::string> places_;
};

/// A value that is constant along the x axis: the mean of a metric over all jobs that have it.
struct ReferenceLevel {
  std::string metric;
  std::string label;  ///< default: the metric's title
  std::string panel;  ///< the metric of the panel that shows it; default: all panels
  static void declare(Fields& f, ReferenceLevel& p);
};
/// `reference:` of a figure: one, or a list.
std::vector<ReferenceLevel> read_references(const Node& node);
/// Draws a dotted line for each reference in the panel of `metric`. Throws when no job has the reference's metric.
void add_references(Panel& panel, const RunView& run, const PlotRequest& request, const std::vector<ReferenceLevel>& references,
                    const std::string& metric);

}  // namespace yatlab
