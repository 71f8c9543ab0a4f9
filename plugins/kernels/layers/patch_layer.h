#pragma once

#include <cstdint>
#include <memory>

#include "core/ops/nmn.h"
#include "plugins/kernels/layers/patches.h"

namespace yatlab {

/// A convolution whose inner product is any operator: each unit scores each window as an NMN layer does a vector. A pixel that padding
/// adds is 0 as a black pixel is: nothing to an inner product, but to a distance the square of the weight that lies on it.
///
/// Weights are [units, C k k] in the order of LibTorch's convolutions (channel, row, column). The patches of a batch are made as long as they
/// are kMostNumbers numbers (64 MiB in float); a larger one goes through in tiles of samples, of which the input alone is kept for
/// the backward pass, where scores are computed again: memory for patches does not grow with the batch.
class PatchLayer {
 public:
  static constexpr std::int64_t kMostNumbers = std::int64_t{1} << 24;

  /// `nmn`: its inputs are channels k k. The owner registers it.
  PatchLayer(std::shared_ptr<Nmn> nmn, const PatchShape& shape, std::int64_t most_numbers = kMostNumbers);

  /// [B, H, W, C] -> [B, H', W', units]
  Tensor forward(const Tensor& images) const;

  const std::shared_ptr<Nmn>& nmn() const { return nmn_; }
  const PatchShape& shape() const { return shape_; }

 private:
  std::shared_ptr<Nmn> nmn_;
  PatchShape shape_;
  std::int64_t most_numbers_;
};

}  // namespace yatlab
