#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/experiment/report_config.h"
#include "core/record/run_view.h"

namespace yatlab {

/// The same metric on the samples held back for choosing: "validation/loss" for "test/loss"; empty for a metric that is not on test samples.
std::optional<std::string> held_back_metric(const std::string& metric);

/// Where each arm does best, in a table with `rows: best`, and a fair value for it. The best of many points looks better than it is: chance
/// helped it in the very runs that choose it. If samples are held back, they choose, and the test samples give the value. Otherwise each seed is
/// taken at the point that the arm's other seeds choose (leave one out), so that no run judges itself.
class BestPoints {
 public:
  BestPoints(const RunView& run, const ReportConfig& config, const TableSpec& spec);

  /// The metric that chooses: `best_by`, else the first column's metric, on held-back samples if the run has them ("validation/" for "test/").
  const std::string& chooser() const { return chooser_; }
  /// Whether the chooser uses other samples than the table's columns.
  bool held_back() const { return held_back_; }

  /// Empty if the arm has no value of the chooser.
  const std::optional<Node::Map>& of(const std::string& arm) const { return choice_of(arm).best; }
  /// The number of points to choose from.
  std::size_t candidates(const std::string& arm) const { return choice_of(arm).points.size(); }
  /// Whether the choice flatters the arm: several points, on the same samples.
  bool flatters(const std::string& arm) const { return choice_of(arm).flatters; }

  /// The sample for tests and comparisons: where the choice flatters, each seed's value at the point that the other seeds choose (with one seed, at
  /// the best). Counts of seeds that diverged or failed are those of the best point.
  Sample sample(const std::string& arm, const std::string& metric) const;

 private:
  /// The choice for an arm, before any metric is requested.
  struct Choice {
    std::optional<Node::Map> best;
    std::vector<Node::Map> points;  ///< the points to choose from
    bool flatters = false;
    bool leaves_out = false;                                    ///< the choice flatters, and other seeds can choose
    std::vector<std::pair<std::int64_t, std::size_t>> without;  ///< each seed, and the index in `points` that the others choose
  };
  /// Computed on the first request for an arm; not thread-safe.
  const Choice& choice_of(const std::string& arm) const;

  const RunView& run_;
  std::vector<Node::Map> points_;
  std::string chooser_;
  bool held_back_ = false, higher_ = false;
  mutable std::map<std::string, Choice> choices_;
};

}  // namespace yatlab
