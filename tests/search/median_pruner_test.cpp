#include "plugins/search/pruners/median_pruner.h"

#include "search/support.h"

using namespace yatlab;

namespace {

const double kNan = std::nan("");
const double kInfinity = std::numeric_limits<double>::infinity();

bool median_prunes(const std::vector<SearchCurve>& others, const SearchCurve& own, std::int64_t startup = 3, std::int64_t warmup = 0) {
  return MedianPruner({startup, warmup}).prune(others, own);
}

}  // namespace

TEST_CASE("the median pruner, by hand") {
  const std::vector<SearchCurve> others{{{1, 5}, {2, 4}, {3, 1}}, {{1, 7}, {2, 6}, {3, 5}}, {{1, 9}, {2, 3}, {3, 2}}};
  // At step 1 the median is 7, at 2 it is 4, at 3 it is 2.
  CHECK_FALSE(median_prunes(others, {{1, 7}}));
  CHECK(median_prunes(others, {{1, 7.1}}));
  CHECK_FALSE(median_prunes(others, {{1, 7}, {2, 4}}));
  CHECK(median_prunes(others, {{1, 7}, {2, 4.1}}));
  // The best value counts, not the last one.
  CHECK_FALSE(median_prunes(others, {{1, 2}, {2, 9}, {3, 9}}));
  CHECK(median_prunes(others, {{1, 3}, {2, 9}, {3, 9}}));
  // Others' last values up to the step.
  CHECK_FALSE(median_prunes(others, {{2, 4}}));
  CHECK(median_prunes(others, {{10, 2.1}}));
  CHECK_FALSE(median_prunes(others, {{10, 2}}));
  CHECK_FALSE(median_prunes(others, {}));
  // Between two in the middle.
  auto four = others;
  four.push_back({{1, 1}, {2, 1}, {3, 1}});
  CHECK_FALSE(median_prunes(four, {{2, 3.5}}));
  CHECK(median_prunes(four, {{2, 3.6}}));
}

TEST_CASE("the median pruner waits for enough other values and the warmup") {
  const std::vector<SearchCurve> others{{{1, 1}}, {{1, 1}}, {{3, 1}}, {}};
  CHECK(median_prunes(others, {{1, 2}}, 2));
  CHECK_FALSE(median_prunes(others, {{1, 2}}, 3));
  CHECK(median_prunes(others, {{3, 2}}, 3));
  CHECK_FALSE(median_prunes(others, {{3, 2}}, 4));
  CHECK_FALSE(median_prunes(others, {{0, 2}}, 1));
  CHECK_FALSE(median_prunes(others, {{1, 2}}, 2, 2));
  CHECK(median_prunes(others, {{2, 2}}, 2, 2));
  const std::vector<SearchCurve> four(4, {{1, 1}}), five(5, {{1, 1}});
  CHECK_FALSE(MedianPruner({}).prune(four, {{1, 2}}));
  CHECK(MedianPruner({}).prune(five, {{1, 2}}));
}

TEST_CASE("the median pruner treats non-finite values as the worst") {
  const std::vector<SearchCurve> others{{{1, 1}}, {{1, kNan}}, {{1, -kInfinity}}};
  // The median is infinite.
  CHECK_FALSE(median_prunes(others, {{1, 1e300}}));
  for (const double worst : {kNan, kInfinity, -kInfinity}) CHECK(median_prunes(others, {{1, worst}}));
  CHECK_FALSE(median_prunes(others, {{1, 5}, {2, kNan}}));
  CHECK(median_prunes({{{1, 1}}, {{1, 2}}, {{1, kNan}}}, {{1, 3}}));
  CHECK_FALSE(median_prunes({{{1, 1}}, {{1, 2}}, {{1, kNan}}}, {{1, 2}}));
  // 1e308 + 1e308 is not a number.
  CHECK_FALSE(median_prunes(std::vector<SearchCurve>(4, {{1, 1.5e308}}), {{1, 1e308}}));
  CHECK(median_prunes(std::vector<SearchCurve>(4, {{1, 1.5e308}}), {{1, 1.6e308}}));
}
