#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/node.h"
#include "core/config/compose.h"

namespace yatlab {

/// What a job does: train and analyse a model, look at untrained components, or check a statement.
enum class JobKind { kTraining, kStudy, kClaim };

/// What an arm's jobs are made from, resolved and completed.
struct FrozenArm {
  JobKind kind = JobKind::kTraining;
  Node config;  ///< the part of the arm's composition that decides its results
  Node claims;  ///< a list; one job each
  std::map<std::string, std::string> chosen_by;  ///< key of a component -> the override that chose it, for messages
};

/// Config errors where the arm lacks what jobs of its kind need, or a component is unknown or wrongly set.
FrozenArm frozen_arm(const Composition& composition, const std::string& arm);

/// The keys of an experiment that decide the result of a job of this kind.
const std::vector<std::string>& frozen_keys(JobKind kind = JobKind::kTraining);

/// True for keys below `trainer` that steer a run without changing its results.
bool is_steering(const std::string& trainer_key);

/// Identity of the code that computes results of this kind: changes when core/{ops,data,train,experiment} or
/// the built-in plugins behind such jobs change.
std::string code_hash(JobKind kind = JobKind::kTraining);

/// Identity of one job: its frozen config with seed, the code, and plugin libraries.
std::string job_hash(const Node& frozen, JobKind kind);

/// job_hash of one config with any seed, for many of them: the config is written out once.
class JobHashes {
 public:
  JobHashes(Node frozen, JobKind kind);
  std::string of(std::int64_t seed) const;

 private:
  std::string before_, behind_;  // the seed
};

}  // namespace yatlab
