#include "plugins/kernels/layers/image_input.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/error.h"

namespace yatlab {

ImageShape image_shape(const std::vector<std::int64_t>& s, const char* who) {
  if (s.size() == 2) return {1, s[0], s[1]};
  if (s.size() == 3) return {s[0], s[1], s[2]};
  throw config_error(fmt::format("'{}' needs images", who), "architecture",
                     fmt::format("samples are [{}], not [rows, columns] or [channels, rows, columns]", fmt::join(s, ", ")),
                     "use architecture=mlp, or a data set of images");
}

at::Tensor channels_last(const at::Tensor& inputs) {
  return inputs.dim() == 3 ? inputs.unsqueeze(3) : inputs.permute({0, 2, 3, 1}).contiguous();
}

}  // namespace yatlab
