#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "core/data/batches.h"
#include "core/experiment/trainer_params.h"
#include "core/model/architecture.h"
#include "core/train/task.h"

namespace yatlab {

/// Accumulates into the parameters' gradients those of the mean loss over a batch of `samples`. `batch` has all of these samples, or a rank's part,
/// which may be empty. `trainer.micro_batch` of them pass through the model at once. Returns their part of that loss.
///
/// The host reads the loss once, before the last backward pass. before_last: called at that point with the return value. Without it, a loss above
/// `trainer.diverged_above`, or NaN, is returned at once: its gradients are not needed. With it, other ranks wait for the gradients.
double accumulate_gradients(const TrainerParams& params, Architecture& model, const Task& task, const Batch& batch, std::int64_t samples,
                            const std::function<void(double loss)>& before_last = {});

/// Scales the gradients so that their joint norm is at most `limit`. Returns the norm before: a double on their device, which the host need not read.
at::Tensor clip_gradients(const std::vector<at::Tensor>& parameters, double limit);

}  // namespace yatlab
