#pragma once

#include <torch/nn/module.h>

#include <cstdint>

#include "core/registry/fields.h"

namespace yatlab {

/// The normalization between a layer and its activation.
enum class Normalization { kNone, kBatch };

/// Declares the setting `normalization`.
void declare_normalization(Fields& f, Normalization& target);

/// Batch normalisation (Ioffe, Szegedy 2015) over the last dimension. Training uses the mean and variance of the batch; evaluation uses running ones
/// (momentum 0.1). epsilon 1e-5; learned weight, initially 1, and bias, initially 0.
///
/// Parameters weight [C], bias [C]; buffers running_mean [C], running_var [C] (unbiased), which checkpoints contain.
class BatchNorm : public torch::nn::Module {
 public:
  explicit BatchNorm(std::int64_t channels);

  /// x: [..., C] -> the same shape. Throws a config error in training when each channel has a single value.
  at::Tensor forward(const at::Tensor& x);

  at::Tensor weight, bias, running_mean, running_var;
};

}  // namespace yatlab
