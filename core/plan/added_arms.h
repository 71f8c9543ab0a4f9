#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/node.h"
#include "core/config/override.h"
#include "core/plan/check_names.h"

namespace yatlab {

/// Puts arms that the command line added into the lists of arms that tables and figures of an experiment have, wherever they measure what is
/// shown; not into lists that the command line itself gives, nor where the file says `added_arms: false`. config_of: what an arm's jobs are
/// made from. Returns notices of where an arm cannot stand.
std::vector<std::string> join_added_arms(Node& experiment, const std::vector<std::string>& added, const std::vector<Override>& command_line,
                                         const MeasuredArms& measured, const std::function<const Node&(const std::string& arm)>& config_of);

}  // namespace yatlab
