#pragma once

#include "core/base/node.h"

namespace yatlab {

/// `arms` with each bare name in a list replaced by what the list of that name says: one of `families`, or another of `known` arms (those of
/// the file, also where the command line took one away). Names may name further lists; where two say something of one key, the later counts, as
/// in any list of overrides. Config errors: a name that is nothing, that is an arm and a family, or that leads back to itself; a family that no
/// known arm names.
Node expand_arms(const Node& arms, const Node& known, const Node& families);

}  // namespace yatlab
