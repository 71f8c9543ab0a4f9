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

/// The same metric by samples held back for choosing: "validation/loss" for "test/loss"; nothing for one that is not of the test samples.
std::optional<std::string> held_back_metric(const std::string& metric);

/// Where each arm does best, in a table with `rows: best`, and what it is worth there. The best of many points looks better than it is: by
/// chance it did well in the very runs that choose it. Where samples are held back, these choose and the test samples tell; else each
/// seed is taken at the point that the arm's other seeds choose (leave one out), which no run judges itself by.
class BestPoints {
 public:
  BestPoints(const RunView& run, const ReportConfig& config, const TableSpec& spec);

  /// What chooses: `best_by`, else the first column's metric, by samples held back where the run has them ("validation/" for "test/").
  const std::string& chooser() const { return chooser_; }
  /// The chooser's samples are not those of the table's columns.
  bool held_back() const { return held_back_; }

  /// None where the arm has no value of the chooser.
  const std::optional<Node::Map>& of(const std::string& arm) const { return choice_of(arm).best; }
  /// Among how many points that was.
  std::size_t candidates(const std::string& arm) const { return choice_of(arm).points.size(); }
  /// True where the choice flatters the arm: several points, on the same samples.
  bool flatters(const std::string& arm) const { return choice_of(arm).flatters; }

  /// What tests and comparisons take: where the choice flatters, each seed's value at the point that the other seeds choose (of one seed,
  /// at the best). Counts of seeds that diverged or failed are those of the best point.
  Sample sample(const std::string& arm, const std::string& metric) const;

 private:
  /// What is known of an arm before any metric is asked for.
  struct Choice {
    std::optional<Node::Map> best;
    std::vector<Node::Map> points;  ///< among which it was chosen
    bool flatters = false;
    bool leaves_out = false;                                    ///< it flatters, and there are other seeds to choose
    std::vector<std::pair<std::int64_t, std::size_t>> without;  ///< each seed, and which of `points` the others choose
  };
  /// Made when an arm is first asked for; not for several threads.
  const Choice& choice_of(const std::string& arm) const;

  const RunView& run_;
  std::vector<Node::Map> points_;
  std::string chooser_;
  bool held_back_ = false, higher_ = false;
  mutable std::map<std::string, Choice> choices_;
};

}  // namespace yatlab
