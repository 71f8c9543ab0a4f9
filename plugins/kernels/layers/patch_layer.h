#pragma once

#include <cstdint>
#include <memory>

#include "core/ops/nmn.h"
#include "plugins/kernels/layers/patches.h"

namespace yatlab {

/// A convolution with any operator in place of the inner product: each unit scores each window as an NMN layer scores a vector. Zero padding acts
/// like black pixels: it adds nothing to an inner product, but adds the square of the weight at its place to a distance.
///
/// Weights are [units, C k k] in the order of LibTorch's convolutions (channel, row, column). If a batch's patches are at most kMostNumbers numbers
/// (64 MiB in float), they are computed at once. A larger batch is processed in tiles of samples: only its input is saved for the backward pass,
/// which recomputes the scores, so that memory for patches does not grow with the batch.
class PatchLayer {
 public:
  static constexpr std::int64_t kMostNumbers = std::int64_t{1} << 24;

  /// `nmn`: its number of inputs is channels k k. The owner registers it.
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
