#pragma once

#include <cstdint>
#include <vector>

#include "core/data/dataset.h"
#include "core/experiment/trainer_params.h"

namespace yatlab {

/// The seed of an epoch's sample order.
std::uint64_t shuffle_seed(std::uint64_t seed, std::int64_t epoch);

/// The indices, ascending, of the samples that the first `steps` updates of a training have used, from a training split of `samples`.
std::vector<std::int64_t> samples_trained_on(std::int64_t samples, const TrainerParams& params, std::uint64_t seed, std::int64_t steps);

/// The selected samples of a split as tensors, also where the split itself has none.
Split picked(const Split& from, const std::vector<std::int64_t>& samples);

}  // namespace yatlab
