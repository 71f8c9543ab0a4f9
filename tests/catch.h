// Catch2 v2 (Debian 12) and v3 (Debian 13) differ in the names of headers and of one matcher, as far as the tests are concerned: v3's here.
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
