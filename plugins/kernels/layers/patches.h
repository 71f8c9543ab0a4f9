#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace yatlab {

/// The windows over an image, as in a convolution.
struct PatchShape {
  std::int64_t kernel = 3;   ///< k: windows of k x k pixels
  std::int64_t stride = 1;   ///< pixels from one window to the next
  std::int64_t padding = 1;  ///< zero pixels on every side

  /// Windows along a side of this many pixels.
  std::int64_t windows(std::int64_t pixels) const { return (pixels + 2 * padding - kernel) / stride + 1; }
};

/// The windows of images (unfold): [B, H, W, C] -> [B, H', W', k k C], each row by row with its channels together. Differentiable any number of
/// times.
at::Tensor patches(const at::Tensor& images, const PatchShape& shape);

/// Its transpose (fold): each pixel of [B, rows, columns, C] is the sum of the values that windows [B, H', W', k k C] have at its place.
at::Tensor sum_of_patches(const at::Tensor& windows, std::int64_t rows, std::int64_t columns, const PatchShape& shape);

}  // namespace yatlab
