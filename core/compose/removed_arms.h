#pragma once

#include <string>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

/// Takes arms that the command line removed (`~arms.linear`) out of what an experiment file says about
/// them: labels, tables, figures and the paper's numbers.
void forget_arms(Node& experiment, const std::vector<std::string>& removed);

}  // namespace yatlab
