#include "core/report/verdict.h"

#include "catch.h"

using namespace yatlab;

static VerdictInput input(double paper, double tolerance, std::vector<double> values, Direction direction = Direction::kHigher) {
  VerdictInput in;
  in.paper = paper;
  in.tolerance = tolerance;
  in.values = std::move(values);
  in.direction = direction;
  in.format = "percent";
  return in;
}

TEST_CASE("reproduced: the mean is within the tolerance") {
  const auto j = judge(input(0.9208, 0.005, {0.918, 0.919, 0.917}));
  CHECK(j.verdict == Verdict::kReproduced);
  CHECK(j.why == "mean 91.80 % is 0.28 points from 92.08 %, tolerance 0.50 points");
  // Exactly at the tolerance still counts, whatever binary fractions say.
  CHECK(judge(input(0.9, 0.1, {0.8, 0.8, 0.8})).verdict == Verdict::kReproduced);
  CHECK(judge(input(0.9, 0.0999, {0.8, 0.8, 0.8})).verdict == Verdict::kWorse);
}

TEST_CASE("reproduced: the paper's value lies where one more run falls") {
  // mean 0.90, s = 0.01, n = 3: 0.90 -+ 4.302653 * 0.01 * sqrt(4/3) = [0.850, 0.950]
  const auto j = judge(input(0.94, 0.011, {0.89, 0.90, 0.91}));
  CHECK(j.verdict == Verdict::kReproduced);
  CHECK(j.why == "94 % lies in [85.03, 94.97] %, where one more run falls with 95 %");
  CHECK(judge(input(0.951, 0.011, {0.89, 0.90, 0.91})).verdict == Verdict::kWorse);
}

TEST_CASE("inconclusive: the prediction interval is wider than ten tolerances") {
  // The same runs; the interval is 0.0994 wide.
  const auto j = judge(input(0.94, 0.0099, {0.89, 0.90, 0.91}));
  CHECK(j.verdict == Verdict::kInconclusive);
  CHECK(j.why == "one more run would fall anywhere in [85.03, 94.97] % (95 %), wider than ten tolerances of 0.99 points");
  // Also when the mean happens to be near: with that spread it could not have told.
  CHECK(judge(input(0.90, 0.0099, {0.89, 0.90, 0.91})).verdict == Verdict::kInconclusive);
  // A paper value outside even a wide interval is still told apart.
  CHECK(judge(input(0.97, 0.001, {0.89, 0.90, 0.91})).verdict == Verdict::kWorse);
}

TEST_CASE("better and worse follow the metric's direction") {
  const std::vector<double> v = {0.930, 0.931, 0.932};
  CHECK(judge(input(0.90, 0.005, v)).verdict == Verdict::kBetter);
  CHECK(judge(input(0.96, 0.005, v)).verdict == Verdict::kWorse);
  CHECK(judge(input(0.90, 0.005, v, Direction::kLower)).verdict == Verdict::kWorse);
  CHECK(judge(input(0.96, 0.005, v, Direction::kLower)).verdict == Verdict::kBetter);
  const auto j = judge(input(0.90, 0.005, v, Direction::kNone));
  CHECK(j.verdict == Verdict::kDiffers);
  CHECK(j.why == "90 % is 3.10 points below the mean 93.10 % and outside [92.60, 93.60] %, where one more run falls with 95 %");
}

TEST_CASE("inconclusive: fewer than three seeds") {
  CHECK(judge(input(0.9, 0.5, {0.9, 0.9})).verdict == Verdict::kInconclusive);
  CHECK(judge(input(0.9, 0.5, {0.9, 0.9})).why == "2 seeds, a verdict needs 3");
  CHECK(judge(input(0.9, 0.5, {0.9})).why == "1 seed, a verdict needs 3");
  auto none = input(0.9, 0.5, {});
  none.diverged = 5;
  CHECK(judge(none).verdict == Verdict::kInconclusive);
  CHECK(judge(none).why == "no value was measured; 5 seeds diverged");
}

TEST_CASE("a deterministic metric needs one value") {
  auto in = input(4, 0.01, {4.0}, Direction::kNone);
  in.format = "number";
  in.deterministic = true;
  CHECK(judge(in).verdict == Verdict::kReproduced);
  in.values = {4.5};
  CHECK(judge(in).verdict == Verdict::kDiffers);
  CHECK(judge(in).why == "4 is 0.500 below the mean 4.500");
  in.values = {};
  CHECK(judge(in).verdict == Verdict::kInconclusive);
}

TEST_CASE("not comparable beats everything, and keeps its reasons") {
  auto in = input(0.9, 0.5, {0.9, 0.9, 0.9});
  in.not_comparable = {"run at scale 'smoke'", "substitute data: strokes stands in for mnist"};
  in.diverged = 1;
  in.failed = 2;
  const auto j = judge(in);
  CHECK(j.verdict == Verdict::kNotComparable);
  CHECK(j.why == "run at scale 'smoke'; substitute data: strokes stands in for mnist; 1 seed diverged, 2 seeds without a result");
}

TEST_CASE("a tolerance of zero asks for the value itself") {
  CHECK(judge(input(0.5, 0, {0.5, 0.5, 0.5})).verdict == Verdict::kReproduced);
  CHECK(judge(input(0.5, 0, {0.5, 0.5, 0.6})).verdict == Verdict::kInconclusive);
  CHECK(judge(input(0.5, 0, {0.4, 0.4, 0.4})).verdict == Verdict::kWorse);
}
