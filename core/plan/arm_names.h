#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/metric_doc.h"

namespace yatlab {

struct ArmParts;
struct FrozenArm;

/// What an arm will measure.
struct ArmNames {
  bool known = true;                ///< false: its data set tells nothing before it is loaded, so neither does the arm
  std::set<std::string> results;    ///< metrics of finished jobs: columns of tables, comparisons, the paper's numbers
  std::set<std::string> history;    ///< metrics logged while training: learning curves
  std::set<std::string> artifacts;  ///< of analyses and studies
  std::vector<MetricDoc> docs;      ///< what is said of metrics by those that measure them, each once, in the order of the list of analyses

  void add(const ArmNames& other);
  /// Metrics that evaluations, or the training itself, measure.
  void add_history(const std::vector<MetricDoc>& metrics);
  void add_results(const std::vector<MetricDoc>& metrics);
  /// Adds what one of several lookers finds; two that would write one name are refused. who: "analysis 'calibration'".
  void add(const FindingNames& found, const std::string& who);

 private:
  void describe(const std::vector<MetricDoc>& metrics);
};

/// Asks every component of an arm whether it can work there, with nothing but the shape of the data: each is constructed, the model (or a
/// miniature of it) is built, and takes one made-up batch forward and backward. So that what cannot work is refused before anything runs.
class ArmChecker {
 public:
  /// Config errors that name the arm, the place in the config and what to do.
  ArmNames check(const std::string& arm, const FrozenArm& frozen);

 private:
  std::map<std::string, std::shared_ptr<const ArmParts>> rehearsed_;
};

}  // namespace yatlab
