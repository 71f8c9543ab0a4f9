#include "plugins/search/sweepers/unit_cube.h"

#include "search/support.h"

using namespace yatlab;
using namespace yatlab::testing;

TEST_CASE("reals are mapped from the unit interval and back") {
  CHECK(from_unit(real("x", -2, 6), 0) == -2);
  CHECK(from_unit(real("x", -2, 6), 0.25) == 0);
  CHECK(from_unit(real("x", -2, 6), 0.75) == 4);
  CHECK(to_unit(real("x", -2, 6), 4) == 0.75);
  // On a logarithmic scale the middle is the geometric mean.
  CHECK(from_unit(real("x", 1e-4, 1, true), 0.5) == 0.01);
  CHECK(to_unit(real("x", 1e-4, 1, true), 0.001) == Approx(0.25));
  for (const auto& p : {real("x", -3, 11), real("x", 1e-6, 10, true), real("x", 0, 1e-9), real("x", 1000, 1001)}) {
    double before = -1e300;
    for (int i = 0; i < 1000; ++i) {
      const double u = (i + 0.5) / 1000;
      const double x = from_unit(p, u);
      CHECK(to_unit(p, x) == Approx(u).margin(1.001e-3));
      CHECK(x >= before);
      CHECK(x >= p.low);
      CHECK(x < p.high);
      before = x;
    }
    CHECK(from_unit(p, 1 - 0x1p-53) < p.high);
    CHECK(to_unit(p, p.high) < 1);
    CHECK(to_unit(p, p.high + 5) < 1);
    CHECK(to_unit(p, p.low - 5) == 0);
  }
  CHECK(std::isnan(to_unit(real("x", 0, 1), std::nan(""))));
  CHECK(std::isnan(to_unit(integer("x", 0, 4), std::nan(""))));
}

TEST_CASE("every integer and every choice has an equal share") {
  for (const auto& p : {integer("n", -2, 4), choice("c", 7)}) {
    const double low = p.kind == SearchParameter::Kind::kChoice ? 0 : p.low;
    std::vector<int> counts(7);
    for (int i = 0; i < 7000; ++i) ++counts.at(static_cast<std::size_t>(from_unit(p, (i + 0.5) / 7000) - low));
    for (const int count : counts) CHECK(count == 1000);
    for (int k = 0; k < 7; ++k) {
      CHECK(to_unit(p, low + k) == Approx((k + 0.5) / 7));
      CHECK(unit_share(p, low + k).first == Approx(k / 7.0));
      CHECK(unit_share(p, low + k).second == Approx((k + 1) / 7.0));
    }
    CHECK(from_unit(p, 0) == low);
    CHECK(from_unit(p, 1 - 0x1p-53) == low + 6);
  }
}

TEST_CASE("integers on a log scale have shares between half-integers") {
  const auto p = integer("n", 1, 128, true);
  double end = 0;
  for (int n = 1; n <= 128; ++n) {
    const auto [from, to] = unit_share(p, n);
    CHECK(from == Approx(end).margin(1e-15));
    CHECK(to - from == Approx(std::log((n + 0.5) / (n - 0.5)) / std::log(128.5 / 0.5)));
    CHECK(from_unit(p, from + 1e-9) == n);
    CHECK(from_unit(p, to - 1e-9) == n);
    CHECK(from_unit(p, to_unit(p, n)) == n);
    end = to;
  }
  CHECK(end == Approx(1));
}

TEST_CASE("real values are rounded to few digits") {
  CHECK(readable(real("x", 0, 1), 0.123456789) == 0.1235);
  CHECK(readable(real("x", 1e-6, 1, true), 3.14159265e-5) == 3.142e-05);
  CHECK(readable(real("x", 0, 1e6), 123456.789) == 123500);
  // Not out of the range: [low, high).
  CHECK(readable(real("x", 0, 1), 0.999987654) == 0.99999);
  CHECK(readable(real("x", 0.33333, 1), 0.3333312) == 0.33333);
  // Not if four digits cannot distinguish the points.
  CHECK(readable(real("x", 1000, 1001), 1000.123456) == 1000.123);
  CHECK(from_unit(real("x", 1e-5, 1, true), 0.3) == 0.0003162);
}

TEST_CASE("values outside the unit interval are reflected") {
  CHECK(mirrored(0.25) == 0.25);
  CHECK(mirrored(1.25) == 0.75);
  CHECK(mirrored(-0.25) == 0.25);
  CHECK(mirrored(2.25) == 0.25);
  CHECK(mirrored(-1.25) == 0.75);
  CHECK(mirrored(1) < 1);
  CHECK(mirrored(-2) == 0);
  for (double x = -3.05; x < 3; x += 0.1) {
    CHECK(unmirrored(mirrored(x), x) == Approx(x));
    CHECK(unmirrored(mirrored(x), x + 0.04) == Approx(x));
    CHECK(unmirrored(mirrored(x), x - 0.04) == Approx(x));
  }
}

TEST_CASE("a condition that no point satisfies is an error after so many draws") {
  SearchSpace space{{real("a", 0, 1), real("b", 0, 1)}, [](const SearchPoint& p) { return p[0] > 1; }};
  int draws = 0;
  const auto draw = [&] { return SearchPoint{++draws < 10000 ? 0.0 : 2.0, 0.0}; };
  CHECK(draw_allowed(space, draw) == SearchPoint{2, 0});
  draws = -1;
  CHECK_THROWS_AS(draw_allowed(space, draw), Error);
}
