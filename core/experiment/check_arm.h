#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/experiment/frozen_arm.h"
#include "core/train/arm_parts.h"

namespace yatlab {

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

/// An arm that is checked: its type of job asks every part of it whether it can work there.
class ArmCheck {
 public:
  /// Models that were built for a check, and their tasks, by all that decides how they are put together.
  using Rehearsed = std::map<std::string, std::shared_ptr<const ArmParts>>;

  ArmCheck(std::string arm, const FrozenArm& of, Rehearsed& before) : name(std::move(arm)), frozen(of), rehearsed(before) {}

  const std::string name;
  const FrozenArm& frozen;
  Rehearsed& rehearsed;
  ArmParts parts = {};  ///< operator and normalizer are there; the rest is the type's

  /// Runs `act`; its errors get the arm's name and the place of `node`, or of the key that they name, in the config.
  template <class Act>
  auto guarded(const Node& node, const Act& act) const {
    try {
      return act();
    } catch (const Error& e) {
      throw placed(e, node);
    }
  }

 private:
  Error placed(const Error& error, const Node& node) const;
};

/// Asks every component of an arm whether it can work there, with nothing but the shape of the data: each is constructed, the model (or a
/// miniature of it) is built, and takes one made-up batch there and back. So that what cannot work is refused before anything runs.
class ArmChecker {
 public:
  /// Config errors that name the arm, the place in the config and what to do.
  ArmNames check(const std::string& arm, const FrozenArm& frozen);

 private:
  ArmCheck::Rehearsed rehearsed_;
};

/// "[2, 4]"
std::string shape_text(at::IntArrayRef shape);
/// In a catch block: what went wrong in somebody's code, as a config error. One that is one already passes.
Error refusal(std::string what, const std::string& where, const std::string& hint);

}  // namespace yatlab
