#pragma once

#include "core/plan/check_arm.h"

namespace yatlab {

/// Config errors where an arm cannot be trained, or one of its analyses cannot look at it; else what will be measured. The model, or a miniature
/// of it, takes one made-up batch of the data's shape forward and backward.
ArmNames check_training(ArmCheck& check);

}  // namespace yatlab
