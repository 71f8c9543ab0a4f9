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

// What several plots need.

/// `wanted` as far as the run has them, or all of its arms. Throws when none is left.
std::vector<std::string> plot_arms(const RunView& run, const std::vector<std::string>& wanted);

/// Those of them that have a completed job, for plots that show one of each; throws when none has.
std::vector<std::string> completed_arms(const RunView& run, const std::vector<std::string>& wanted);

/// The points of the run's sweep that match `at` (a map or null); throws when there are none. Every arm has jobs_of such a point.
std::vector<Node::Map> plot_points(const RunView& run, const Node& at);

/// Those of an arm that a plot shows: what `points` are for it (one for many where it lacks a swept parameter), or the one where `best` (a
/// metric; empty: none) is best.
std::vector<Node::Map> arm_points(const RunView& run, const ReportConfig& config, const std::string& arm,
                                  const std::vector<Node::Map>& points, const std::string& best);

/// Without the parameters named in `drop`, "ε = 0.1, batch size 64"; "" when nothing is left.
std::string rest_label(const ReportConfig& config, const Node::Map& point, const std::vector<std::string>& drop);
/// The value of a parameter, or null.
Node point_value(const Node::Map& point, const std::string& parameter);

/// The completed job of `arm` with `seed`; with the lowest seed that completed when none is given, or that one is not there. Throws where none
/// completed.
const JobView& plot_job(const RunView& run, const std::string& arm, const Node::Map& point, std::optional<std::int64_t> seed);

/// "run X has no ...": what a plot throws when the run lacks its data.
Error plot_error(const RunView& run, const PlotRequest& request, const std::string& why, const std::string& hint = {});

/// Throws where one of the parameters is none of the run's sweep.
void require_swept(const RunView& run, const PlotRequest& request, const std::vector<std::string>& parameters);

/// Numbers of a nested or flat JSON array, row-major; NaN for null.
std::vector<double> json_numbers(const nlohmann::json& array);

/// A grid as artifacts hold it: {"x0", "y0", "cell", "rows", "columns", "values"}, rows from the top. Throws a data
/// error that starts with `what` when it is none.
Heat json_grid(const nlohmann::json& grid, const std::string& what);
/// The artifact of a job, with the plot's usual error when there is none.
nlohmann::json plot_artifact(const RunView& run, const PlotRequest& request, const JobView& job, const std::string& name);
/// The captions' sentences, joined; empty ones left out.
std::string caption_of(const std::vector<std::string>& sentences);
/// "(1, 0.5)"
std::string vector_text(const std::vector<double>& v);

/// A metric's title without $math$, with its share as a percentage when printed so.
std::string metric_title(const ReportConfig& config, const std::string& metric);
/// With its unit: "test loss (nats)".
std::string axis_title(const ReportConfig& config, const std::string& metric);

/// True for positive numbers that span a factor of 30 or more.
bool wants_log(const std::vector<double>& values);
/// True for places of a swept parameter that a logarithmic axis spreads more evenly: 1e-4, 3e-4, 1e-3.
bool wants_log_places(std::vector<double> places);

/// A tick at each place, named where names have room on an axis that long (inches).
std::vector<std::pair<double, std::string>> place_ticks(std::vector<std::pair<double, std::string>> places, bool log, double length);

/// The seeds that a figure shows, for its caption.
class SeedsSeen {
 public:
  /// Those of one value, mean or curve; none where there is nothing to show.
  void add(const std::vector<std::int64_t>& seeds);
  /// "Means over n = 5 seeds (0 to 4)", "Means over n = 2 to 3 seeds (0, 1, 7)", then `more` and a stop; "One seed (0)." or "One seed each (0, 3)."
  /// where nothing is a mean; "" where nothing was seen.
  std::string text(const std::string& more = {}) const;

 private:
  std::size_t fewest_ = 0, most_ = 0;  // of one value
  std::set<std::int64_t> seeds_;
};

/// Values of a figure that are means of fewer seeds, since others have no finite one: for its note.
class NotFinite {
 public:
  void add(const std::string& where, const Sample& sample);
  /// "Not finite: yat, ε = 0.1 (5 of 12 seeds); linear (1 of 12 seeds)."; "" where all are finite.
  std::string text() const;

 private:
  std::vector<std::string> places_;
};

/// A value that does not change along the x axis: the mean of a metric over all jobs that have it.
struct ReferenceLevel {
  std::string metric;
  std::string label;  ///< default: the metric's title
  std::string panel;  ///< the metric of the panel that shows it; default: every one
  static void declare(Fields& f, ReferenceLevel& p);
};
/// `reference:` of a figure: one, or a list.
std::vector<ReferenceLevel> read_references(const Node& node);
/// A dotted line for each of those that belong to the panel of `metric`. Throws when no job has the metric.
void add_references(Panel& panel, const RunView& run, const PlotRequest& request, const std::vector<ReferenceLevel>& references,
                    const std::string& metric);

}  // namespace yatlab
