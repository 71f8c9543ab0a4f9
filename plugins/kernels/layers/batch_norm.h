#pragma once

#include <torch/nn/module.h>

#include <cstdint>

#include "core/registry/fields.h"

namespace yatlab {

/// What stands between a layer and its activation.
enum class Normalization { kNone, kBatch };

/// Declares `normalization`.
void declare_normalization(Fields& f, Normalization& target);

/// Batch normalisation (Ioffe, Szegedy 2015) of the last dimension: in training by the mean and variance of the batch, else by running
/// ones, of which a step takes a tenth. epsilon 1e-5; a learned gain that starts at 1, a shift at 0.
///
/// Parameters weight [C], bias [C]; buffers running_mean [C], running_var [C] (unbiased), which a checkpoint holds.
class BatchNorm : public torch::nn::Module {
 public:
  explicit BatchNorm(std::int64_t channels);

  /// x: [..., C] -> the same. Throws a config error in training when each channel has a single value.
  at::Tensor forward(const at::Tensor& x);

  at::Tensor weight, bias, running_mean, running_var;
};

}  // namespace yatlab
