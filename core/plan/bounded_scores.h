#pragma once

#include <string>

#include "core/base/node.h"

namespace yatlab {

/// For a job's frozen config whose classes are scored, without a factor, by an operator of known range (core/ops/score_range.h): how low the loss can
/// get, and the overrides that learn a factor. Empty if a factor gains nothing or is not available.
std::string bounded_scores(const Node& frozen);

}  // namespace yatlab
