#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/node.h"
#include "core/compose/job_type.h"
#include "core/config/compose.h"

namespace yatlab {

/// The resolved and completed inputs of an arm's jobs.
struct FrozenArm {
  const JobType* type = nullptr;
  Node config;                                   ///< the part of the arm's composition that determines its results
  std::vector<JobPart> parts;                    ///< one job each
  Node resources = Node::map();                  ///< what its jobs need from a cluster; does not affect results
  Node analyses = Node::list();                  ///< analyses of the trained model; jobs that use its checkpoint
  std::map<std::string, std::string> chosen_by;  ///< key of a component -> the override that chose it, for messages
};

/// Arms or points with the same identity differ only in their seeds.
std::string identity_of(const FrozenArm& frozen);

/// Config errors if the arm lacks something that its type of job needs, or if a component is unknown or misconfigured.
FrozenArm frozen_arm(const Composition& composition, const std::string& arm);

}  // namespace yatlab
