#pragma once

#include "core/plan/check_arm.h"

namespace yatlab {

/// Returns what the arm will measure. Throws config errors if it cannot be trained, or one of its analyses cannot work on it. The model, or a
/// miniature of it, runs one made-up batch of the data's shape forward and backward.
ArmNames check_training(ArmCheck& check);

}  // namespace yatlab
