#include "plugins/search/sweepers/draws.h"

#include <cmath>

#include "core/base/hash.h"

namespace yatlab {
namespace {

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

constexpr std::uint64_t kStride = 0x9e3779b97f4a7c15ULL;

}  // namespace

Draws::Draws(std::uint64_t seed, std::string_view purpose, std::uint64_t index) : state_(derive_seed(seed, purpose, index)) {}

// Mixed twice, so that streams of neighbouring places are not shifts of one another.
Draws::Draws(std::uint64_t derived, std::uint64_t place) : state_(mixed(derived ^ mixed((place + 1) * kStride))) {}

std::uint64_t Draws::bits() { return mixed(state_ += kStride); }

double Draws::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

std::size_t Draws::below(std::size_t n) {
  const std::uint64_t excess = (0 - static_cast<std::uint64_t>(n)) % n;
  std::uint64_t draw = bits();
  while (draw < excess) draw = bits();
  return static_cast<std::size_t>(draw % n);
}

double Draws::normal() {
  // Marsaglia's polar method; the second number is dropped, so that the state is one word.
  while (true) {
    const double x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    const double s = x * x + y * y;
    if (s > 0 && s < 1) return x * std::sqrt(-2 * std::log(s) / s);
  }
}

}  // namespace yatlab
