#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

// Shared by generated datasets.
namespace yatlab {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine, for generated data.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return finalise(state_ += 0x9E3779B97F4A7C15u); }
  /// Random integer in 0 .. n - 1, n < 2^32.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() >> 32) * n >> 32; }
  /// The output function: mixes the bits of `z`.
  static std::uint64_t finalise(std::uint64_t z) {
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_;
};

/// The bytes of a contiguous tensor, for its checksum.
inline std::string_view bytes_of(const at::Tensor& t) { return {static_cast<const char*>(t.data_ptr()), t.nbytes()}; }

}  // namespace yatlab
