#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "core/compose/as_written.h"
#include "core/compose/frozen_arm.h"
#include "core/config/sweep.h"
#include "core/plan/plan.h"

namespace yatlab {

/// The maximum number of jobs of one run. Each takes about 2 kB during planning, and a folder.
inline constexpr std::size_t kMaxJobs = 100'000;

/// Throws the error for a plan with more.
[[noreturn]] void too_many_jobs(const Plan& plan);

/// Throws a config error if the text is too long to be read back from the run's folder. `what`: "the experiment".
void check_written_size(const Node& config, const std::string& what);

/// Adds jobs to a plan, each with its name, its folder and its hash, and with its analyses.
class JobPlanner {
 public:
  explicit JobPlanner(Plan& plan) : plan_(plan) {}

  /// Adds the jobs of one arm at one point, one per part and seed. `point`: the overrides that apply to the arm; `point_name`: as folders show it.
  void add(const std::string& arm, const SweepPoint& point, const std::string& point_name, const FrozenArm& frozen,
           const ProtocolChange& change);

 private:
  Plan& plan_;
  std::set<std::string> directories_;
};

}  // namespace yatlab
