// Catch2 v2 (Debian 12) and v3 (Debian 13) name headers and one matcher differently; this header gives the tests v3's names.
#pragma once

#if YATLAB_CATCH_MAJOR >= 3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Catch::Matchers
#endif
