// Arrays in NumPy's format.
#include "plugins/kernels/datasets/npy.h"

#include <ATen/ATen.h>

#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  static const MemoryFile file;
  accepted([&] {
    const auto array = parse_npy(input, "input.npy");
    if (array.numbers.defined()) expect(static_cast<std::size_t>(array.numbers.numel()) <= input.size(), "more values than bytes");
  });
  accepted([&] { read_npz(file.holding(input)); });
}

}  // namespace yatlab::fuzz
