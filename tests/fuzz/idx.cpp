// IDX files of images and labels.
#include "plugins/kernels/datasets/idx.h"

#include <ATen/ATen.h>

#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  static const MemoryFile file;
  accepted([&] {
    const auto images = parse_idx(input, "input.idx");
    expect(static_cast<std::size_t>(images.numel()) <= input.size(), "more values than bytes");
  });
  accepted([&] { read_idx(file.holding(input), 3); });
}

}  // namespace yatlab::fuzz
