#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/node.h"
#include "core/config/override.h"
#include "core/plan/check_names.h"

namespace yatlab {

/// Adds the arms from the command line to the lists of arms of the experiment's tables and figures, wherever an arm measures what is shown. Lists set
/// on the command line, and entries with `added_arms: false`, stay unchanged. config_of: the config of an arm's jobs. Returns notices about places
/// that an arm cannot join.
std::vector<std::string> join_added_arms(Node& experiment, const std::vector<std::string>& added, const std::vector<Override>& command_line,
                                         const MeasuredArms& measured, const std::function<const Node&(const std::string& arm)>& config_of);

}  // namespace yatlab
