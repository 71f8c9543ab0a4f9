#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/experiment/frozen_arm.h"

namespace yatlab {

/// What an arm will measure.
struct ArmNames {
  bool known = true;                ///< false: its data set tells nothing before it is loaded, so neither does the arm
  std::set<std::string> results;    ///< metrics of finished jobs: columns of tables, comparisons, the paper's numbers
  std::set<std::string> history;    ///< metrics logged while training: learning curves
  std::set<std::string> artifacts;  ///< of analyses and studies

  void add(const ArmNames& other);
};

/// Asks every component of an arm whether it can work there, with nothing but the shape of the data: each is constructed, the model (or a
/// miniature of it) is built, and takes one made-up batch there and back. So that what cannot work is refused before anything runs.
class ArmChecker {
 public:
  /// Config errors that name the arm, the place in the config and what to do.
  ArmNames check(const std::string& arm, const FrozenArm& frozen);

 private:
  struct Rehearsal;
  std::map<std::string, std::shared_ptr<const Rehearsal>> rehearsed_;  ///< by all that decides how an arm is put together
};

}  // namespace yatlab
