#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace yatlab {

/// A stream of random numbers that follows from (seed, purpose, index) alone, the same with every compiler and standard library. Its engine
/// is SplitMix64 (Steele, Lea and Flood 2014), which costs nothing to set up: a search makes a stream for every point that it proposes.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view purpose, std::uint64_t index);
  /// A stream of its own for each `place` in one that is derived already.
  Draws(std::uint64_t derived, std::uint64_t place);

  std::uint64_t bits();
  /// Evenly from [0, 1), in steps of 2^-53.
  double uniform();
  /// Evenly from 0 .. n - 1, n > 0.
  std::size_t below(std::size_t n);
  /// From the standard normal distribution.
  double normal();

 private:
  std::uint64_t state_;
};

}  // namespace yatlab
