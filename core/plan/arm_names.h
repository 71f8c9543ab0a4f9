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
  bool known = true;                ///< false: its data set reports nothing before it is loaded, so the names are unknown
  std::set<std::string> results;    ///< metrics of finished jobs: columns of tables, comparisons, the paper's numbers
  std::set<std::string> history;    ///< metrics logged while training: learning curves
  std::set<std::string> artifacts;  ///< artifacts of analyses and studies
  std::vector<MetricDoc> docs;      ///< descriptions of the metrics, each once, in the order of the list of analyses

  void add(const ArmNames& other);
  /// Metrics measured by evaluations or by the training itself.
  void add_history(const std::vector<MetricDoc>& metrics);
  void add_results(const std::vector<MetricDoc>& metrics);
  /// Adds what one of several analyses or studies finds; throws if two would write the same name. who: "analysis 'calibration'".
  void add(const FindingNames& found, const std::string& who);

 private:
  void describe(const std::vector<MetricDoc>& metrics);
};

/// Checks that every component of an arm works with the others, using only the shape of the data: constructs each, builds the model (or a miniature
/// of it) and runs one made-up batch forward and backward. Broken setups are thus refused before anything runs.
class ArmChecker {
 public:
  /// Throws config errors that name the arm, the place in the config and the remedy.
  ArmNames check(const std::string& arm, const FrozenArm& frozen);

 private:
  std::map<std::string, std::shared_ptr<const ArmParts>> rehearsed_;
};

}  // namespace yatlab
