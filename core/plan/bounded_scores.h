#pragma once

#include <string>

#include "core/base/node.h"

namespace yatlab {

/// What a job's frozen config says of classes that are scored by an operator of a known range (core/ops/score_range.h), without a factor: how
/// low the loss can come, and the overrides that learn a factor. Empty where a factor gains nothing, or cannot be had.
std::string bounded_scores(const Node& frozen);

}  // namespace yatlab
