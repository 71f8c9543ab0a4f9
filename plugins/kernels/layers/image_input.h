#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace yatlab {

/// The shape of a data set's images: [rows, columns], or [channels, rows, columns].
struct ImageShape {
  std::int64_t channels = 1, rows = 0, columns = 0;
};

/// Throws a config error when samples of that shape are not images. `who`: "resnet".
ImageShape image_shape(const std::vector<std::int64_t>& input_shape, const char* who);

/// [B, rows, columns] or [B, channels, rows, columns] -> [B, rows, columns, channels], contiguous: the input format of PatchLayer.
at::Tensor channels_last(const at::Tensor& inputs);

}  // namespace yatlab
