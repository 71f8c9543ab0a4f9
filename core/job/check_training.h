#pragma once

#include "core/job/data_cache.h"
#include "core/plan/check_arm.h"
#include "core/plan/job_spec.h"

namespace yatlab {

/// Returns what the arm will measure. Throws config errors if it cannot be trained, or one of its analyses cannot work on it. The model, or a
/// miniature of it, runs one made-up batch of the data's shape forward and backward.
ArmNames check_training(ArmCheck& check);

/// Throws if an analysis of a training cannot work with its data, now that they are loaded in `cache`. parts: of its model, but for `data`.
void check_analyses(const JobSpec& training, ArmParts parts, DataCache& cache);

}  // namespace yatlab
