#include "plugins/search/pruners/asha_pruner.h"

#include "search/support.h"

using namespace yatlab;

namespace {

bool asha_prunes(const std::vector<SearchCurve>& others, const SearchCurve& own, std::int64_t eta = 3, std::int64_t min_steps = 1) {
  return AshaPruner({eta, min_steps}).prune(others, own);
}

/// Values at one step.
std::vector<SearchCurve> at(std::int64_t step, const std::vector<double>& values) {
  std::vector<SearchCurve> out;
  for (const double value : values) out.push_back({{step, value}});
  return out;
}

}  // namespace

TEST_CASE("ASHA: the best third of a rung continues") {
  // The first continues; so does the better one of two and of three; two of six do.
  CHECK_FALSE(asha_prunes({}, {{1, 9}}));
  CHECK(asha_prunes(at(1, {1}), {{1, 2}}));
  CHECK_FALSE(asha_prunes(at(1, {2}), {{1, 1}}));
  CHECK(asha_prunes(at(1, {1, 3}), {{1, 2}}));
  CHECK(asha_prunes(at(1, {1, 3, 4, 5}), {{1, 2}}));
  CHECK_FALSE(asha_prunes(at(1, {1, 3, 4, 5, 6}), {{1, 2}}));
  CHECK(asha_prunes(at(1, {1, 2, 4, 5, 6}), {{1, 3}}));
  // Equal values are equally good.
  CHECK_FALSE(asha_prunes(at(1, {2, 2, 2}), {{1, 2}}));
  // The best half.
  CHECK_FALSE(asha_prunes(at(1, {1, 3, 4}), {{1, 2}}, 2));
  CHECK(asha_prunes(at(1, {1, 2, 4}), {{1, 3}}, 2));
}

TEST_CASE("ASHA: trials are judged only at rungs") {
  // Rungs 10, 30, 90.
  const auto others = [](std::int64_t step) { return at(step, {0, 0, 0}); };
  const auto judged = [&](const SearchCurve& own) { return asha_prunes(others(own.back().first), own, 3, 10); };
  CHECK_FALSE(judged({{9, 1}}));
  CHECK(judged({{9, 1}, {10, 1}}));
  CHECK_FALSE(judged({{10, 1}, {11, 1}}));
  CHECK_FALSE(judged({{10, 1}, {29, 1}}));
  CHECK(judged({{10, 1}, {29, 1}, {30, 1}}));
  CHECK_FALSE(judged({{30, 1}, {89, 1}}));
  CHECK(judged({{30, 1}, {90, 1}}));
  // Steps that skip a rung reach it late.
  CHECK(judged({{8, 1}, {16, 1}}));
  CHECK_FALSE(judged({{16, 1}, {24, 1}}));
  CHECK(judged({{24, 1}, {32, 1}}));
  CHECK_FALSE(asha_prunes(others(10), {}, 3, 10));
  // Steps near the largest number.
  constexpr std::int64_t kLargestNumber = std::numeric_limits<std::int64_t>::max();
  CHECK_FALSE(asha_prunes(at(kLargestNumber, {0}), {{kLargestNumber - 1, 1}, {kLargestNumber, 1}}, 2, 1));
  CHECK(asha_prunes(at(kLargestNumber, {0}), {{kLargestNumber, 1}}, 2, 1));
}

TEST_CASE("ASHA: other trials count by their first value at the rung") {
  // The first other is at 5 when it reaches rung 3, worse before and better later; the second did not reach it.
  const std::vector<SearchCurve> others{{{1, 9}, {2, 1}, {4, 5}, {6, 1}}, {{1, 0}, {2, 0}}};
  CHECK_FALSE(asha_prunes(others, {{2, 9}, {3, 4}}));
  CHECK(asha_prunes(others, {{2, 0}, {3, 6}}));
}

TEST_CASE("ASHA: non-finite values are the worst") {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const double worst : {nan, infinity, -infinity}) {
    CHECK(asha_prunes({}, {{1, worst}}));
    CHECK_FALSE(asha_prunes(at(1, {worst, worst}), {{1, 1e300}}));
  }
}
