#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/node.h"
#include "core/compose/job_type.h"
#include "core/config/compose.h"

namespace yatlab {

/// What an arm's jobs are made from, resolved and completed.
struct FrozenArm {
  const JobType* type = nullptr;
  Node config;                                   ///< the part of the arm's composition that decides its results
  std::vector<JobPart> parts;                    ///< one job each
  Node resources = Node::map();                  ///< what its jobs need of a cluster; decides nothing
  Node analyses = Node::list();                  ///< of what is trained; jobs on its checkpoint
  std::map<std::string, std::string> chosen_by;  ///< key of a component -> the override that chose it, for messages
};

/// Two arms, or points, of one identity are the same but for seeds.
std::string identity_of(const FrozenArm& frozen);

/// Config errors where the arm lacks what jobs of its kind need, or a component is unknown or wrongly set.
FrozenArm frozen_arm(const Composition& composition, const std::string& arm);

}  // namespace yatlab
