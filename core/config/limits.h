#pragma once

#include <cstddef>

/// Upper limits for configurations. No real experiment comes close; whatever exceeds one is a mistake or an attack. It is rejected before it costs
/// much time or memory, with a message that names the limit.
namespace yatlab::limits {

constexpr std::size_t kText = 1'000'000;    ///< bytes of one YAML file, of one override, of one text with interpolations
constexpr std::size_t kValues = 500'000;    ///< values of a configuration, with aliases and interpolations expanded
constexpr std::size_t kBytes = 10'000'000;  ///< bytes of all texts and keys of a configuration
constexpr int kLevels = 200;                ///< nesting depth of lists and maps
constexpr std::size_t kKeys = 10'000;       ///< keys of one map
constexpr std::size_t kPath = 4'096;        ///< total bytes of the keys on the path to a value
constexpr std::size_t kPoints = 100'000;    ///< values of a range, points of a sweep
constexpr std::size_t kWarnings = 100;      ///< warnings per file

}  // namespace yatlab::limits
