#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/compose/composed_experiment.h"
#include "core/compose/frozen_arm.h"

namespace yatlab {

/// The overrides by which an arm's jobs at a point are others than those of the experiment's file.
struct ProtocolChange {
  std::vector<std::string> training;                         ///< as they were typed; empty: the jobs are the file's
  std::map<std::string, std::vector<std::string>> analyses;  ///< of those of which the file sets other parameters, by name
};

/// The experiment as its file has it, at the scale that was asked for: what the jobs of a run are compared with. An arm that the file lacks is held
/// against the file with that arm. Nothing is composed where no override may change results; what cannot be composed without the command line
/// counts as changed by all overrides that may.
class AsWritten {
 public:
  explicit AsWritten(const PlanRequest& request);

  /// point: the part that applies to the arm.
  ProtocolChange change_of(const Arm& arm, const SweepPoint& point, const FrozenArm& frozen);
  /// Those of `arms` that the file does not have.
  std::vector<std::string> added(const std::vector<Arm>& arms);
  /// Whether arms, points and analyses are the file's, in its order: all that change_of has seen are all that there are. Of a search false as
  /// soon as an override may change results.
  bool is_whole(const std::vector<Arm>& arms, bool search);

 private:
  struct Written {
    std::set<std::string> jobs;                             ///< their hashes, at all points
    std::set<std::string> whole;                            ///< with analyses and parts
    std::map<std::string, std::set<std::string>> analyses;  ///< by name, as they are set
    std::map<std::string, std::set<std::string>> parts;     ///< the same of claims
  };

  const ComposedExperiment* file();
  const ComposedExperiment* file_with_arms();
  const ComposedExperiment* file_of(const std::string& arm);
  const Written* written(const std::string& arm);
  bool is_written(const Arm& arm, const SweepPoint& point, const FrozenArm& frozen);
  std::vector<std::string> responsible(const Arm& arm, const SweepPoint& point, const std::string& hash);
  bool matters(std::size_t i, const Arm& arm, const SweepPoint& point, const std::string& hash);

  /// What was composed once, or that it could not be.
  template <class T>
  using Once = std::optional<std::shared_ptr<const T>>;

  PlanRequest request_;
  std::vector<Override> given_;          ///< the command line
  std::vector<std::size_t> candidates_;  ///< of given_: those that may change results
  Once<ComposedExperiment> file_, file_with_arms_;
  std::map<std::size_t, Once<ComposedExperiment>> without_;  ///< one of given_
  std::map<std::string, Once<Written>> written_;             ///< by arm
  std::map<std::string, std::vector<std::string>> responsible_;
  std::map<std::string, std::set<std::string>> seen_;
};

}  // namespace yatlab
