#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace yatlab {

/// A stream of random numbers that depends on (seed, purpose, index) alone, the same with every compiler and standard library. Its engine
/// is SplitMix64 (Steele, Lea and Flood 2014), whose setup is free: a search creates a stream for every point that it proposes.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view purpose, std::uint64_t index);
  /// A separate stream for each `place` in an already derived one.
  Draws(std::uint64_t derived, std::uint64_t place);

  std::uint64_t bits();
  /// Uniform on [0, 1), in steps of 2^-53.
  double uniform();
  /// Uniform on 0 .. n - 1, n > 0.
  std::size_t below(std::size_t n);
  /// Standard normal.
  double normal();

 private:
  std::uint64_t state_;
};

}  // namespace yatlab
