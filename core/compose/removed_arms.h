#pragma once

#include <string>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

/// Drops arms that the command line removed (`~arms.linear`) from the rest of an experiment:
/// labels, tables, figures and the paper's numbers.
void forget_arms(Node& experiment, const std::vector<std::string>& removed);

}  // namespace yatlab
