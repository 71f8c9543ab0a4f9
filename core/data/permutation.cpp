#include "core/data/permutation.h"

#include <numeric>
#include <random>
#include <utility>

namespace yatlab {

std::vector<std::int64_t> permutation(std::int64_t n, std::uint64_t seed) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), std::int64_t{0});
  // The standard fixes this engine's output but not that of std::shuffle.
  std::mt19937_64 engine(seed);
  for (std::size_t i = out.size(); i > 1; --i) {
    // Unbiased: reject the incomplete last block of the engine's range.
    const std::uint64_t excess = (0 - static_cast<std::uint64_t>(i)) % i;
    std::uint64_t draw = engine();
    while (draw < excess) draw = engine();
    std::swap(out[i - 1], out[draw % i]);
  }
  return out;
}

}  // namespace yatlab
