// Catch2 v2 (Debian 12) and v3 differ in header names only, as far as the tests are concerned.
#pragma once

#if YATLAB_CATCH_MAJOR >= 3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
