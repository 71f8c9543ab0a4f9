#pragma once

#include "core/base/node.h"

namespace yatlab {

/// `arms` with each bare name in a list replaced by the overrides that it names: those of one of `families`, or of one of the `known` arms (the
/// file's arms, including those that the command line removed). Named lists may name further lists. If several set the same key, the last one wins,
/// as in any list of overrides. Config errors: a name that is unknown, that is both an arm and a family, or that is part of a cycle; a family that no
/// known arm names.
Node expand_arms(const Node& arms, const Node& known, const Node& families);

}  // namespace yatlab
