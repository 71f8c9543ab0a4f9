#pragma once

#include "core/base/node.h"
#include "core/registry/scaffold.h"

namespace yatlab {

/// The files of a C++ operator that is equivalent to `operator=formula` with the completed `spec`: the same tensor operations in the same order, and
/// the same fixed and learned parameters. Its test compares it with the formula. Config error if `spec` is not a formula.
ScaffoldTexts promoted_operator(const Node& spec);

}  // namespace yatlab
