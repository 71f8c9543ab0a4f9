#pragma once

#include <cstdint>
#include <vector>

namespace yatlab {

/// A random order of 0 .. n-1, drawn from `seed` alone: the same on every machine and compiler.
std::vector<std::int64_t> permutation(std::int64_t n, std::uint64_t seed);

}  // namespace yatlab
