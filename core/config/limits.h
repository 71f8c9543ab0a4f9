#pragma once

#include <cstddef>

/// What a configuration may be at most. No experiment comes near; what does is a mistake or an attack, and is refused with a message that
/// says the limit before it costs much time or memory.
namespace yatlab::limits {

constexpr std::size_t kText = 1'000'000;    ///< bytes of one YAML file, of one override, of one text with interpolations
constexpr std::size_t kValues = 500'000;    ///< values of a configuration, with aliases and interpolations written out
constexpr std::size_t kBytes = 10'000'000;  ///< their texts and keys together
constexpr int kLevels = 200;                ///< lists and maps inside each other
constexpr std::size_t kKeys = 10'000;       ///< keys of one map
constexpr std::size_t kPath = 4'096;        ///< bytes of all keys that lead to a value
constexpr std::size_t kPoints = 100'000;    ///< values of a range, points of a sweep
constexpr std::size_t kWarnings = 100;      ///< told of one file

}  // namespace yatlab::limits
