#include "core/verdict/verdict.h"

#include "catch.h"

using namespace yatlab;

static VerdictInput input(double paper, double tolerance, std::vector<double> values, Direction direction = Direction::kHigher) {
  VerdictInput in;
  in.paper = {paper, paper};
  in.tolerance = tolerance;
  in.values = std::move(values);
  in.direction = direction;
  in.format = "percent";
  return in;
}

TEST_CASE("reproduced: the mean's 90 % interval lies within the tolerance") {
  // mean 0.918, s = 0.000707, n = 5: 0.918 -+ 2.131847 * 0.000316
  const std::vector<double> v = {0.918, 0.919, 0.917, 0.918, 0.918};
  const auto j = judge(input(0.9208, 0.005, v));
  CHECK(j.verdict == Verdict::kReproduced);
  CHECK(j.why == "the mean 91.80 % is 0.28 points below 92.08 %, and its 90 % interval [91.73, 91.87] % within 92.08 % ± 0.5 points");
  // Two one-sided tests: the interval's far end decides, not the mean. 0.28 + 0.067 > 0.34.
  CHECK(judge(input(0.9208, 0.0034, v)).verdict == Verdict::kConsistent);
  CHECK(judge(input(0.9208, 0.0035, v)).verdict == Verdict::kReproduced);
  // Exactly at the tolerance still counts, whatever binary fractions say.
  CHECK(judge(input(0.9, 0.1, {0.8, 0.8, 0.8, 0.8, 0.8})).verdict == Verdict::kReproduced);
  CHECK(judge(input(0.9, 0.0999, {0.8, 0.8, 0.8, 0.8, 0.8})).verdict == Verdict::kWorse);
}

TEST_CASE("consistent: equality takes five seeds") {
  for (const std::size_t n : {3U, 4U, 5U}) {
    const auto j = judge(input(0.9208, 0.005, std::vector<double>(n, 0.918)));
    CHECK(j.verdict == (n < 5 ? Verdict::kConsistent : Verdict::kReproduced));
  }
  const auto j = judge(input(0.9208, 0.005, {0.918, 0.919, 0.917}));
  CHECK(j.verdict == Verdict::kConsistent);
  CHECK(j.why == "the mean 91.80 % is 0.28 points below 92.08 %, tolerance 0.5 points; equality takes 5 seeds, here are 3");
}

TEST_CASE("consistent: the paper's value lies within the prediction interval") {
  // mean 0.90, s = 0.01, n = 3: 0.90 -+ 4.302653 * 0.01 * sqrt(4/3) = [0.850, 0.950]
  const auto j = judge(input(0.94, 0.016, {0.89, 0.90, 0.91}));
  CHECK(j.verdict == Verdict::kConsistent);
  CHECK(j.why ==
        "94 % lies in [85.03, 94.97] %, where one more run falls with 95 %; the mean's 90 % interval [88.31, 91.69] % is not within 94 % ± "
        "1.6 points");
  CHECK(judge(input(0.951, 0.011, {0.89, 0.90, 0.91})).verdict == Verdict::kWorse);
}

TEST_CASE("inconclusive: one more run may give the value but the mean's interval does not reach it") {
  // mean 0.781, s = 0.0324, n = 5: one more run in [0.682, 0.880], the mean in 0.781 -+ 2.776445 * 0.0324 / sqrt(5) = [0.741, 0.821]
  const std::vector<double> v = {0.740, 0.763, 0.780, 0.797, 0.825};
  const auto j = judge(input(0.8787, 0.02, v));
  CHECK(j.verdict == Verdict::kInconclusive);
  CHECK(
      j.why ==
      "87.87 % lies in [68.25, 87.95] %, where one more run falls with 95 %, but the mean's 95 % interval [74.08, 82.12] % does not reach "
      "87.87 % ± 2 points");
  // The region begins at 0.8212 or just above the interval's end.
  CHECK(judge(input(0.8787, 0.0576, v)).verdict == Verdict::kConsistent);
  CHECK(judge(input(0.8787, 0.0573, v)).verdict == Verdict::kInconclusive);
  // Without the value in one more run's interval it is a difference.
  CHECK(judge(input(0.885, 0.02, v)).verdict == Verdict::kWorse);
}

TEST_CASE("inconclusive: the prediction interval is wider than ten tolerances") {
  // The same runs; the interval is 0.0994 wide.
  const auto j = judge(input(0.94, 0.0099, {0.89, 0.90, 0.91}));
  CHECK(j.verdict == Verdict::kInconclusive);
  CHECK(j.why == "one more run would fall anywhere in [85.03, 94.97] % (95 %), wider than ten tolerances of 0.99 points");
  // A tolerance below the last printed digit is not 0.
  auto wide = input(0.5, 0.05, {0, 5, 10});
  wide.format = "number";
  CHECK(judge(wide).why.find("(95 %), wider than ten tolerances of 0.05") != std::string::npos);
  // Also if the mean happens to be close: with that spread it could not have shown a difference.
  CHECK(judge(input(0.90, 0.0099, {0.89, 0.90, 0.91})).verdict == Verdict::kInconclusive);
  // A paper's value outside even a wide interval still counts as different.
  CHECK(judge(input(0.97, 0.001, {0.89, 0.90, 0.91})).verdict == Verdict::kWorse);
}

TEST_CASE("inconclusive: the mean is neither equivalent nor different") {
  // The mean's 95 % interval [0.8752, 0.9248] overlaps [0.921, 0.981], but a further run would not reach 0.951.
  const auto j = judge(input(0.951, 0.03, {0.89, 0.90, 0.91}));
  CHECK(j.verdict == Verdict::kInconclusive);
  CHECK(j.why ==
        "the mean 90.00 % is 5.10 points below 95.1 %; its 95 % interval [87.52, 92.48] % is neither within nor outside 95.1 % ± 3 points");
  CHECK(judge(input(0.951, 0.026, {0.89, 0.90, 0.91})).verdict == Verdict::kWorse);
}

TEST_CASE("better and worse follow the metric's direction") {
  const std::vector<double> v = {0.930, 0.931, 0.932};
  CHECK(judge(input(0.90, 0.005, v)).verdict == Verdict::kBetter);
  CHECK(judge(input(0.96, 0.005, v)).verdict == Verdict::kWorse);
  CHECK(judge(input(0.90, 0.005, v, Direction::kLower)).verdict == Verdict::kWorse);
  CHECK(judge(input(0.96, 0.005, v, Direction::kLower)).verdict == Verdict::kBetter);
  const auto j = judge(input(0.90, 0.005, v, Direction::kNone));
  CHECK(j.verdict == Verdict::kDiffers);
  CHECK(j.why ==
        "the mean 93.10 % is 3.10 points above 90 %, which lies outside [92.60, 93.60] %, where one more run falls with 95 %; the mean's "
        "95 % "
        "interval [92.85, 93.35] % is outside 90 % ± 0.5 points");
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

TEST_CASE("a deterministic metric needs one value, and is judged by the tolerance alone") {
  auto in = input(4, 0.01, {4.0}, Direction::kNone);
  in.format = "number";
  in.deterministic = true;
  CHECK(judge(in).verdict == Verdict::kReproduced);
  CHECK(judge(in).why == "4.000 is 4, tolerance 0.01; deterministic");
  in.values = {4.5};
  CHECK(judge(in).verdict == Verdict::kDiffers);
  CHECK(judge(in).why == "4.500 is 0.500 above 4, tolerance 0.01; deterministic");
  // Never "consistent": without spread there is no interval for a further run.
  in.values = {4.009, 4.009, 4.009};
  CHECK(judge(in).verdict == Verdict::kReproduced);
  in.values = {};
  CHECK(judge(in).verdict == Verdict::kInconclusive);
}

TEST_CASE("a range of the paper is judged as a range") {
  auto in = input(0, 0, {0.20, 0.21, 0.19, 0.20, 0.20});
  in.paper = {0.15, 0.25};
  CHECK(judge(in).verdict == Verdict::kReproduced);
  CHECK(judge(in).why == "the mean 20.00 % lies in 15 to 25 %, and its 90 % interval [19.33, 20.67] % within 15 to 25 %");
  for (auto& v : in.values) v -= 0.10;
  CHECK(judge(in).verdict == Verdict::kWorse);
  for (auto& v : in.values) v += 0.3;
  CHECK(judge(in).verdict == Verdict::kBetter);
  in.values = {0.15, 0.16, 0.14, 0.15, 0.15};  // at its end
  CHECK(judge(in).verdict == Verdict::kConsistent);
  in.values = {0.1};
  in.deterministic = true;
  CHECK(judge(in).why == "10.00 % is 5.00 points below 15 to 25 %, tolerance 0 points; deterministic");
}

TEST_CASE("shares of seeds are judged by Wilson's intervals") {
  auto in = input(1, 0.5, {1, 1, 1, 1, 1}, Direction::kNone);
  in.share = true;
  CHECK(judge(in).verdict == Verdict::kReproduced);  // [0.65, 1]
  in.values = {1, 1, 1};
  CHECK(judge(in).verdict == Verdict::kConsistent);
  in.values = {0, 0, 0};  // [0, 0.56]: one seed in two may still do so
  CHECK(judge(in).verdict == Verdict::kInconclusive);
  in.values = {0, 0, 0, 0, 0};
  CHECK(judge(in).verdict == Verdict::kDiffers);
}

TEST_CASE("not comparable overrides every other verdict and then unmet conditions do") {
  auto in = input(0.9, 0.5, {0.9, 0.9, 0.9});
  in.unmet = Judgement{Verdict::kUndertrained, "Aether is below the 3-gram"};
  CHECK(judge(in).verdict == Verdict::kUndertrained);
  CHECK(judge(in).why == "Aether is below the 3-gram");
  in.not_comparable = {"run at scale 'smoke'", "substitute data: strokes is used instead of mnist"};
  in.diverged = 1;
  in.failed = 2;
  const auto j = judge(in);
  CHECK(j.verdict == Verdict::kNotComparable);
  CHECK(j.why == "run at scale 'smoke'; substitute data: strokes is used instead of mnist; 1 seed diverged, 2 seeds without a result");
}

TEST_CASE("agreement under a fitted protocol is marked and disagreement is not") {
  auto in = input(0.9, 0.01, {0.9, 0.9, 0.9, 0.9, 0.9});
  in.fitted = "the best of 48";
  const auto j = judge(in);
  CHECK(verdict_name(j) == "reproduced, fitted");
  CHECK(j.why.find("; reproduced under a fitted protocol: the best of 48") != std::string::npos);
  in.values = {0.9, 0.9, 0.9};
  CHECK(verdict_name(judge(in)) == "consistent, fitted");
  in.values = {0.8, 0.8, 0.8};
  CHECK(verdict_name(judge(in)) == "worse");
  in.values = {};
  CHECK_FALSE(judge(in).fitted);
}

TEST_CASE("a tolerance of zero requires the exact value") {
  CHECK(judge(input(0.5, 0, {0.5, 0.5, 0.5, 0.5, 0.5})).verdict == Verdict::kReproduced);
  CHECK(judge(input(0.5, 0, {0.5, 0.5, 0.6})).verdict == Verdict::kInconclusive);
  CHECK(judge(input(0.5, 0, {0.4, 0.4, 0.4})).verdict == Verdict::kWorse);
}

namespace {

/// Against a mean ± std of n runs, in percent.
VerdictInput against(PaperSample sample, double tolerance, std::vector<double> values) {
  auto in = input(sample.summary.mean, tolerance, std::move(values));
  in.sample = std::move(sample);
  return in;
}

}  // namespace

TEST_CASE("two samples: Welch's TOST gives reproduced and a large spread gives consistent") {
  // 0.918, s = 0.000707, n = 5, against 0.9208 ± 0.0009 of 3: error sqrt(1e-7 + 2.7e-7) = 0.000608, dof 3.57.
  const std::vector<double> v = {0.918, 0.919, 0.917, 0.918, 0.918};
  const PaperSample printed{{0.9208, 0.0009, 3}, {}, {}};
  const auto j = judge(against(printed, 0.005, v));
  CHECK(j.verdict == Verdict::kReproduced);
  CHECK(
      j.why ==
      "the mean 91.80 % is 0.28 points below 92.08 ± 0.09 % (n = 3), and the 90 % interval of the difference, [−0.41, −0.15] points, lies "
      "within ± 0.5 points (two one-sided tests, Welch's t-test)");
  // 0.0028 + 0.0014 = 0.0042: the paper's spread widens what was 0.0035 against one value.
  CHECK(judge(against(printed, 0.0041, v)).verdict != Verdict::kReproduced);
  CHECK(judge(against(printed, 0.0043, v)).verdict == Verdict::kReproduced);
  CHECK(judge(against({{0.9208, 0.02, 3}, {}, {}}, 0.011, v)).verdict == Verdict::kConsistent);
  CHECK(judge(against(printed, 0.005, {0.918, 0.919, 0.917})).why.find("equality takes 5 seeds, here are 3") != std::string::npos);
}

TEST_CASE("two samples: better and worse need Welch's test and more than the tolerance") {
  const std::vector<double> v = {0.930, 0.931, 0.932, 0.931, 0.931};
  CHECK(judge(against({{0.90, 0.004, 3}, {}, {}}, 0.005, v)).verdict == Verdict::kBetter);
  CHECK(judge(against({{0.96, 0.004, 3}, {}, {}}, 0.005, v)).verdict == Verdict::kWorse);
  auto none = against({{0.90, 0.004, 3}, {}, {}}, 0.005, v);
  none.direction = Direction::kNone;
  CHECK(judge(none).verdict == Verdict::kDiffers);
  CHECK(
      judge(none).why.find("3.10 points above 90.0 ± 0.4 % (n = 3), p = 0.005 (Welch's t-test); the 95 % interval of the difference, [") !=
      std::string::npos);
  // The same means, with a spread of the paper's that allows it.
  CHECK(judge(against({{0.90, 0.03, 3}, {}, {}}, 0.02, v)).verdict == Verdict::kConsistent);
  // Certainly different, but not whether by more than the tolerance.
  CHECK(judge(against({{0.90, 0.008, 3}, {}, {}}, 0.02, v)).verdict == Verdict::kInconclusive);
  // Nor is anything decided if the interval is wide.
  CHECK(judge(against({{0.90, 0.03, 3}, {}, {}}, 0.005, v)).verdict == Verdict::kInconclusive);
  // A tolerance of zero leaves only the test.
  CHECK(judge(against({{0.925, 0.001, 5}, {}, {}}, 0, v)).verdict == Verdict::kBetter);
}

TEST_CASE("two samples: seeds are paired if all are available") {
  const std::vector<double> theirs = {0.80, 0.90, 0.85, 0.95, 0.88}, ours = {0.801, 0.902, 0.851, 0.952, 0.881};
  PaperSample printed{summarize(theirs), theirs, {0, 1, 2, 3, 4}};
  auto in = against(printed, 0.005, ours);
  in.seeds = {0, 1, 2, 3, 4};
  CHECK(judge(in).verdict == Verdict::kReproduced);
  CHECK(judge(in).why.find("the paired t-test over 5 seeds") != std::string::npos);
  // In another order, and among others of ours.
  in.values = {0.5, 0.881, 0.952, 0.851, 0.902, 0.801};
  in.seeds = {9, 4, 3, 2, 1, 0};
  CHECK(judge(in).verdict == Verdict::kReproduced);
  // One seed is missing here: the spread is again that of two independent samples.
  in.values = ours;
  in.seeds = {0, 1, 2, 3, 5};
  CHECK(judge(in).verdict == Verdict::kInconclusive);
  in.sample->seeds.clear();
  CHECK(judge(in).verdict == Verdict::kInconclusive);
  in.tolerance = 0.03;
  CHECK(judge(in).why.find("Welch's t-test") != std::string::npos);
}

TEST_CASE("a paper's sample counts as one value for deterministic metrics and shares") {
  auto in = against({{4, 0.1, 3}, {}, {}}, 0.01, {4.0});
  in.deterministic = true;
  CHECK(judge(in).verdict == Verdict::kReproduced);
  auto share = against({{1, 0.1, 3}, {}, {}}, 0.5, {1, 1, 1, 1, 1});
  share.share = true;
  CHECK(judge(share).verdict == Verdict::kReproduced);  // by Wilson's interval
}

TEST_CASE("a sample is printed with its own digits") {
  CHECK(sample_text({{0.8427, 0.006, 3}, {}, {}}, NumberFormat::kPercent) == "84.27 ± 0.60 % (n = 3)");
  CHECK(sample_text({{1.5, 0.25, 4}, {}, {}}, NumberFormat::kNumber, false) == "1.50 ± 0.25");
  CHECK(sample_text({{-0.045, 0.01, 4}, {}, {}}, NumberFormat::kSignedPercent, false) == "−4.5 ± 1.0 %");
  const std::vector<double> values = {0.1, 0.2, 0.4};
  CHECK(sample_text({summarize(values), values, {}}, NumberFormat::kNumber, false) == "0.23 ± 0.15");
}
