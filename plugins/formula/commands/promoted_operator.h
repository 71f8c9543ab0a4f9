#pragma once

#include "core/base/node.h"
#include "core/registry/scaffold.h"

namespace yatlab {

/// The files of an operator in C++ that does what `operator=formula` does with `spec`, completed: the same tensor operations in the same order,
/// fixed parameters as its own, learned ones learned. Its test compares it with the formula. Config error where `spec` is not a formula.
ScaffoldTexts promoted_operator(const Node& spec);

}  // namespace yatlab
