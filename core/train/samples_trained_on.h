#pragma once

#include <cstdint>
#include <vector>

#include "core/data/dataset.h"
#include "core/experiment/trainer_params.h"

namespace yatlab {

/// What an epoch's order of samples is drawn from.
std::uint64_t shuffle_seed(std::uint64_t seed, std::int64_t epoch);

/// The samples of a training split of `samples` that the first `steps` updates of a training have seen, ascending.
std::vector<std::int64_t> samples_trained_on(std::int64_t samples, const TrainerParams& params, std::uint64_t seed, std::int64_t steps);

/// Some samples of a split as tensors, also where it has none.
Split picked(const Split& from, const std::vector<std::int64_t>& samples);

}  // namespace yatlab
