#include "plugins/search/sweepers/sobol_search.h"

#include <fmt/format.h>

#include "plugins/search/sweepers/random_search.h"
#include "search/support.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

Problem cube(std::size_t dimension) {
  Problem out{"cube", {}, [](const SearchPoint&) { return 0.0; }, {}};
  for (std::size_t i = 0; i < dimension; ++i) out.space.parameters.push_back(real("x" + std::to_string(i), 0, 1));
  return out;
}

/// Warnock's formula for the L2 star discrepancy, squared.
double discrepancy(const std::vector<Trial>& trials) {
  const double n = static_cast<double>(trials.size());
  const auto d = trials[0].point.size();
  double once = 0, twice = 0;
  for (const auto& a : trials) {
    double product = 1;
    for (const double x : a.point) product *= (1 - x * x) / 2;
    once += product;
    for (const auto& b : trials) {
      product = 1;
      for (std::size_t c = 0; c < d; ++c) product *= 1 - std::max(a.point[c], b.point[c]);
      twice += product;
    }
  }
  return std::pow(3.0, -static_cast<double>(d)) - 2 / n * once + twice / (n * n);
}

}  // namespace

TEST_CASE("Sobol search meets the contract of search methods") {
  keeps_its_promises<SobolSearch>(branin());
  keeps_its_promises<SobolSearch>(conditional());
  CHECK(SobolSearch({}).independent(branin().space) > 1000000);
}

TEST_CASE("each of 2^k intervals contains one of the first 2^k Sobol points") {
  for (const std::int64_t seed : {0, 1, 2, 3}) {
    SobolSearch::Params params;
    params.seed = seed;
    auto problem = cube(5);
    for (auto& p : problem.space.parameters) p = integer(p.name, 0, 63);
    const auto trials = search(SobolSearch(params), problem, 64);
    for (std::size_t c = 0; c < 5; ++c) {
      std::vector<int> counts(64);
      for (const auto& t : trials) ++counts[static_cast<std::size_t>(t.point[c])];
      CHECK(counts == std::vector<int>(64, 1));
    }
    // The first two parameters are a (0, m, 2)-net: one point also in each of 8 x 8 boxes.
    std::vector<int> boxes(64);
    for (const auto& t : trials) ++boxes[static_cast<std::size_t>(t.point[0]) / 8 * 8 + static_cast<std::size_t>(t.point[1]) / 8];
    CHECK(boxes == std::vector<int>(64, 1));
  }
}

TEST_CASE("real Sobol points are evenly spread on each scale and in any range") {
  const std::vector<SearchParameter> all = {real("a", 0, 1),          real("b", -3, 11),          real("c", 1e-6, 10, true),
                                            real("d", 1000, 1001),    real("e", 0, 1e-9),         real("f", 1e-150, 1e150, true),
                                            real("g", -1e300, 1e300), real("h", 0.99, 1.01, true)};
  for (const std::int64_t seed : {0, 1, 2}) {
    SobolSearch::Params params;
    params.seed = seed;
    Problem problem{"reals", {all, {}}, [](const SearchPoint&) { return 0.0; }, {}};
    for (const std::size_t n : {1u << 8, 1u << 12}) {
      const auto trials = search(SobolSearch(params), problem, n);
      for (std::size_t c = 0; c < all.size(); ++c) {
        const auto& p = all[c];
        INFO(p.name << ", " << n << " points, seed " << seed);
        std::vector<int> counts(n);
        for (const auto& t : trials) {
          const double x = t.point[c];
          const double at = p.log ? std::log(x / p.low) / std::log(p.high / p.low) : (x / 2 - p.low / 2) / (p.high / 2 - p.low / 2);
          ++counts.at(static_cast<std::size_t>(at * static_cast<double>(n)));
        }
        CHECK(std::count(counts.begin(), counts.end(), 1) == static_cast<std::ptrdiff_t>(n));
      }
      // Values are also short: no more digits than needed.
      std::size_t digits = 0;
      for (const auto& t : trials) digits += fmt::format("{}", t.point[0]).size() - 2;
      CHECK(static_cast<double>(digits) / static_cast<double>(n) < 8);
    }
  }
}

TEST_CASE("Sobol points of integers occur in proportion to their shares") {
  const std::vector<SearchParameter> all = {integer("a", 0, 9), integer("b", -7, 292), integer("c", 1, 12, true),
                                            integer("d", 1, 3000, true)};
  for (const std::int64_t seed : {0, 1, 2}) {
    SobolSearch::Params params;
    params.seed = seed;
    Problem problem{"integers", {all, {}}, [](const SearchPoint&) { return 0.0; }, {}};
    for (const std::size_t n : {1u << 8, 1u << 12}) {
      const auto trials = search(SobolSearch(params), problem, n);
      for (std::size_t c = 0; c < all.size(); ++c) {
        const auto& p = all[c];
        INFO(p.name << ", " << n << " points, seed " << seed);
        std::vector<int> counts(static_cast<std::size_t>(p.high - p.low) + 1);
        for (const auto& t : trials) ++counts.at(static_cast<std::size_t>(t.point[c] - p.low));
        double most = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
          const double x = p.low + static_cast<double>(i);
          const double share =
              p.log ? std::log((x + 0.5) / (x - 0.5)) / std::log((p.high + 0.5) / (p.low - 0.5)) : 1 / (p.high - p.low + 1);
          most = std::max(most, std::abs(counts[i] - share * static_cast<double>(n)));
        }
        CHECK(most < 2);
      }
    }
  }
}

TEST_CASE("Sobol's points are shifted in every parameter") {
  const auto point = SobolSearch({}).ask(cube(4).space, {});
  SobolSearch::Params params;
  params.seed = 1;
  const auto other = SobolSearch(params).ask(cube(4).space, {});
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(point[i] > 0);
    CHECK(point[i] != other[i]);
    CHECK(point[i] != point[(i + 1) % 4]);
  }
}

TEST_CASE("Sobol points are more evenly spread than random ones") {
  double even = 0, random = 0;
  for (std::int64_t seed = 1; seed <= 8; ++seed) {
    SobolSearch::Params sobol_params;
    RandomSearch::Params random_params;
    sobol_params.seed = random_params.seed = seed;
    even += discrepancy(search(SobolSearch(sobol_params), cube(3), 128));
    random += discrepancy(search(RandomSearch(random_params), cube(3), 128));
  }
  // The expected value for random points is known, which checks the formula.
  CHECK(random / 8 == Approx((std::pow(2.0, -3) - std::pow(3.0, -3)) / 128).epsilon(0.5));
  CHECK(even < 0.2 * random);
}

TEST_CASE("Sobol points that are not allowed are skipped") {
  auto problem = cube(2);
  const auto all = search(SobolSearch({}), problem, 60);
  problem.space.allowed = [](const SearchPoint& p) { return p[0] < p[1]; };
  const auto some = search(SobolSearch({}), problem, 20);
  std::size_t next = 0;
  for (const auto& t : all) {
    if (t.point[0] < t.point[1] && next < some.size()) CHECK(t.point == some[next++].point);
  }
  CHECK(next == some.size());
}

TEST_CASE("Sobol search rejects more parameters than its table has") {
  CHECK_NOTHROW(SobolSearch({}).ask(cube(3667).space, {}));
  CHECK_THROWS_AS(SobolSearch({}).ask(cube(3668).space, {}), Error);
}
