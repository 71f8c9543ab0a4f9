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

/// The overrides that make an arm's jobs at a point differ from those of the experiment's file.
struct ProtocolChange {
  std::vector<std::string> training;                         ///< as typed; empty: the jobs are the file's
  std::map<std::string, std::vector<std::string>> analyses;  ///< by name of an analysis that the file configures differently
};

/// The experiment as its file defines it, at the requested scale. A run's jobs are compared with it. An arm that the file lacks is compared with the
/// file plus that arm. Nothing is composed if no override may change results. A job that cannot be composed without the command line counts as
/// changed by all overrides that may change results.
class AsWritten {
 public:
  explicit AsWritten(const PlanRequest& request);

  /// point: the part of the point that applies to the arm.
  ProtocolChange change_of(const Arm& arm, const SweepPoint& point, const FrozenArm& frozen);
  /// The arms in `arms` that the file does not have.
  std::vector<std::string> added(const std::vector<Arm>& arms);
  /// Whether arms, points and analyses are the file's, in its order, given that change_of has seen all of them. For a search, false if any override
  /// may change results.
  bool is_whole(const std::vector<Arm>& arms, bool search);

 private:
  struct Written {
    std::set<std::string> jobs;                             ///< hashes, at all points
    std::set<std::string> whole;                            ///< jobs with analyses and parts
    std::map<std::string, std::set<std::string>> analyses;  ///< settings, by name
    std::map<std::string, std::set<std::string>> parts;     ///< settings of claims, by name
  };

  const ComposedExperiment* file();
  const ComposedExperiment* file_with_arms();
  const ComposedExperiment* file_of(const std::string& arm);
  const Written* written(const std::string& arm);
  bool is_written(const Arm& arm, const SweepPoint& point, const FrozenArm& frozen);
  std::vector<std::string> responsible(const Arm& arm, const SweepPoint& point, const std::string& hash);
  bool matters(std::size_t i, const Arm& arm, const SweepPoint& point, const std::string& hash);

  /// A value that is composed once; null if that failed.
  template <class T>
  using Once = std::optional<std::shared_ptr<const T>>;

  PlanRequest request_;
  std::vector<Override> given_;          ///< the command line
  std::vector<std::size_t> candidates_;  ///< indices into given_: overrides that may change results
  Once<ComposedExperiment> file_, file_with_arms_;
  std::map<std::size_t, Once<ComposedExperiment>> without_;  ///< by index of the omitted override in given_
  std::map<std::string, Once<Written>> written_;             ///< by arm
  std::map<std::string, std::vector<std::string>> responsible_;
  std::map<std::string, std::set<std::string>> seen_;
};

}  // namespace yatlab
