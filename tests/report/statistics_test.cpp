#include "core/verdict/statistics.h"

#include <algorithm>
#include <cmath>

#include "catch.h"
#include "core/base/error.h"

using namespace yatlab;

TEST_CASE("t quantiles agree with published tables") {
  // Two-sided 95 % column of any printed t-table.
  const std::pair<double, double> table[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},  {5, 2.571},
                                             {9, 2.262},  {10, 2.228}, {20, 2.086}, {30, 2.042}, {120, 1.980}};
  for (const auto& [dof, value] : table) CHECK(t_quantile(0.975, dof) == Approx(value).margin(0.0006));
  CHECK(t_quantile(0.995, 4) == Approx(4.604).margin(0.0006));
  CHECK(t_quantile(0.5, 7) == Approx(0).margin(1e-12));
}

TEST_CASE("mean and standard deviation are right") {
  CHECK(std::isnan(mean({})));
  CHECK(mean({4}) == 4);
  CHECK_FALSE(sample_std({}));
  CHECK_FALSE(sample_std({4}));
  CHECK(mean({2, 4, 4, 4, 5, 5, 7, 9}) == 5);
  CHECK(*sample_std({2, 4, 4, 4, 5, 5, 7, 9}) == Approx(std::sqrt(32.0 / 7)));
  // Equal values must have no spread despite rounding: 3 * 0.1 / 3 != 0.1 in doubles.
  CHECK(mean({0.1, 0.1, 0.1}) == 0.1);
  CHECK(mean({1e16, 1, 1}) == 3333333333333334);  // compensated: the first sum's rounding error is recovered
  CHECK(*sample_std({0.1, 0.1, 0.1}) == 0);
  // A large offset does not destroy the spread.
  CHECK(*sample_std({1e9 + 1, 1e9 + 2, 1e9 + 3}) == Approx(1));
}

TEST_CASE("confidence and prediction intervals by hand") {
  // mean 3, s = sqrt(2.5), n = 5, t = 2.776445
  const std::vector<double> v = {1, 2, 3, 4, 5};
  const auto ci = confidence_interval(v);
  REQUIRE(ci);
  CHECK(ci->low == Approx(3 - 2.7764451 * std::sqrt(2.5 / 5)).epsilon(1e-7));
  CHECK(ci->high == Approx(4.9632432).epsilon(1e-7));
  const auto next = prediction_interval(v);
  REQUIRE(next);
  CHECK(next->high - 3 == Approx(2.7764451 * std::sqrt(2.5) * std::sqrt(1.2)).epsilon(1e-7));
  CHECK(next->contains(3));
  CHECK_FALSE(next->contains(9));
  CHECK(3 - next->low == Approx(next->high - 3));
  CHECK(confidence_interval({1, 2})->width() == Approx(2 * 12.7062047 * 0.5).epsilon(1e-7));
  CHECK_FALSE(confidence_interval({1}));
  CHECK_FALSE(prediction_interval({}));
  CHECK(prediction_interval({2, 2, 2})->width() == 0);
  CHECK(confidence_interval(v, 0.99)->width() > ci->width());
}

TEST_CASE("paired t-test by hand") {
  // Differences 1, 2, 3, 4: mean 2.5, s = 1.2909944, t = 3.872983 with 3 degrees of freedom.
  const auto test = paired_test({2, 4, 6, 8}, {1, 2, 3, 4});
  CHECK(test.n == 4);
  CHECK(test.difference == 2.5);
  CHECK(*test.std == Approx(1.2909944).epsilon(1e-7));
  // With 3 degrees of freedom the distribution function has a closed form: F = 1/2 + (atan u + u/(1+u^2))/pi, u = t/sqrt 3.
  const double u = 3.8729833 / std::sqrt(3.0);
  const double p = 2 * (0.5 - (std::atan(u) + u / (1 + u * u)) / std::acos(-1));
  CHECK(*test.p == Approx(p).epsilon(1e-6));
  CHECK(test.ci95->low == Approx(2.5 - 3.1824463 * 0.6454972).epsilon(1e-6));
  // All four differences have one sign: 2 of 16 patterns are as extreme, so nothing is decided or reported.
  CHECK(*sign_flip_p({1, 2, 3, 4}) == Approx(2.0 / 16));
  CHECK_FALSE(test.p_sign_flip);
  CHECK_FALSE(paired_test({1, 2, 3, 4, 5}, {0, 0, 0, 0, 0}).p_sign_flip);
  CHECK(*paired_test({1, 2, 3, 4, 5, 6}, {0, 0, 0, 0, 0, 0}).p_sign_flip == Approx(2.0 / 64));
}

TEST_CASE("the paired test handles zero spread, one pair and no pairs") {
  const auto equal = paired_test({1, 2, 3}, {1, 2, 3});
  CHECK(*equal.p == 1);
  const auto shifted = paired_test({2, 3, 4}, {1, 2, 3});
  CHECK(*shifted.p == 0);
  CHECK(shifted.ci95->low == 1);
  const auto one = paired_test({2}, {1});
  CHECK(one.difference == 1);
  CHECK_FALSE(one.p);
  CHECK_FALSE(one.ci95);
  const auto none = paired_test({}, {});
  CHECK(none.n == 0);
  CHECK_FALSE(none.p_sign_flip);
  CHECK_THROWS_AS(paired_test({1}, {}), Error);
}

// Independent: recursion over signs instead of bit patterns, in long double.
static void flip(const std::vector<double>& d, std::size_t i, long double sum, long double target, long& hits) {
  if (i == d.size()) {
    hits += std::fabs(sum) >= target - 1e-12L;
    return;
  }
  flip(d, i + 1, sum + static_cast<long double>(d[i]), target, hits);
  flip(d, i + 1, sum - static_cast<long double>(d[i]), target, hits);
}

TEST_CASE("exact sign-flip test against brute force") {
  unsigned state = 7;
  for (std::size_t n = 1; n <= kExactSignFlipLimit; ++n) {
    std::vector<double> d;
    for (std::size_t i = 0; i < n; ++i) {
      state = state * 1664525u + 1013904223u;
      d.push_back(static_cast<double>(state >> 20) / 4096.0 - 0.3);
    }
    long double sum = 0;
    for (double v : d) sum += static_cast<long double>(v);
    long hits = 0;
    flip(d, 0, 0, std::fabs(sum), hits);
    REQUIRE(sign_flip_p(d));
    CHECK(*sign_flip_p(d) == Approx(static_cast<double>(hits) / std::pow(2.0, static_cast<double>(n))));
  }
  // Ties: 0.1 + 0.2 - 0.3 is not exactly 0 in doubles, yet ties with the pattern -0.1 - 0.2 + 0.3.
  CHECK(*sign_flip_p({0.1, 0.2, -0.3}) == 1);
  CHECK_FALSE(sign_flip_p({}));
  CHECK_FALSE(sign_flip_p(std::vector<double>(13, 1.0)));
}

TEST_CASE("Holm's adjustment by hand") {
  // Sorted 0.01, 0.02, 0.03, 0.04: times 4, 3, 2, 1, never falling.
  CHECK(holm({0.04, 0.01, 0.03, 0.02}) == std::vector<double>{0.06, 0.04, 0.06, 0.06});
  CHECK(holm({0.005, 0.4, 0.9}) == std::vector<double>{0.015, 0.8, 0.9});
  CHECK(holm({0.6, 0.7}) == std::vector<double>{1, 1});
  CHECK(holm({}).empty());
}

TEST_CASE("Wilson's interval agrees with known values") {
  // 8 of 10: 0.4902 to 0.9433 (as in textbooks).
  const auto i = wilson_interval(8, 10);
  CHECK(i.low == Approx(0.4902).margin(5e-5));
  CHECK(i.high == Approx(0.9433).margin(5e-5));
  CHECK(wilson_interval(0, 20).low == 0);
  CHECK(wilson_interval(0, 20).high == Approx(0.1611).margin(5e-5));
  CHECK(wilson_interval(20, 20).high == 1);
  CHECK(wilson_interval(0, 0).width() == 1);
}

TEST_CASE("percentiles interpolate and skip NaN") {
  CHECK(percentile({1, 2, 3, 4}, 0.5) == 2.5);
  CHECK(percentile({4, 1, NAN, 3, 2}, 0) == 1);
  CHECK(percentile({4, 1, 3, 2}, 1) == 4);
  CHECK(std::isnan(percentile({}, 0.5)));
}

TEST_CASE("the ends of Wilson's interval are where the normal test just fails") {
  // |share - p| = z sqrt(p (1 - p) / n) there, whatever the share, the number of trials and the level.
  const std::pair<double, double> levels[] = {{0.95, 1.959963985}, {0.99, 2.575829304}, {0.5, 0.674489750}};
  for (const auto& [level, z] : levels) {
    for (const double n : {1.0, 4.0, 7.0, 250.0}) {
      for (double successes = 0; successes <= n; successes += n > 10 ? 25 : 1) {
        const double share = successes / n;
        const auto i = wilson_interval(successes, n, level);
        INFO(successes << " of " << n << " at " << level);
        CHECK(i.low <= share);
        CHECK(i.high >= share);
        for (const double end : {i.low, i.high}) CHECK(std::abs(share - end) == Approx(z * std::sqrt(end * (1 - end) / n)).margin(1e-9));
      }
    }
  }
}

TEST_CASE("reports use Wilson's interval for shares and Student's for other values") {
  const std::vector<double> won = {1, 0, 1, 1};
  const auto share = reported_interval(won, true);
  REQUIRE(share);
  CHECK(share->low == wilson_interval(3, 4).low);
  CHECK(share->high == wilson_interval(3, 4).high);
  CHECK(reported_interval({0, 0}, true)->high == wilson_interval(0, 2).high);
  CHECK(reported_interval({1, 1}, true)->low == wilson_interval(2, 2).low);
  // Numbers that happen to be 0 and 1 are not shares, and an averaged share is not a count.
  CHECK(reported_interval(won, false)->low == confidence_interval(won)->low);
  CHECK(reported_interval({1, 0, 0.5}, true)->low == confidence_interval({1, 0, 0.5})->low);
  CHECK(reported_interval({1, 2, 1}, true)->low == confidence_interval({1, 2, 1})->low);
  CHECK_FALSE(reported_interval({}, true));
  CHECK_FALSE(reported_interval({0.5}, true));
}

TEST_CASE("percentiles interpolate between order statistics and are clamped at the ends") {
  CHECK(percentile({1, 2, 4, 8}, 0.9) == Approx(4 + 0.7 * 4));
  CHECK(percentile({10, 20}, 0.25) == Approx(12.5));
  CHECK(percentile({8, 1, 4, 2}, 1.0 / 3) == Approx(2));
  CHECK(percentile({3, 5}, -1) == 3);
  CHECK(percentile({3, 5}, 2) == 5);
  CHECK(percentile({1, 2, NAN}, 1) == 2);  // no read beyond the last one
  CHECK(percentile({7}, 0.3) == 7);
  CHECK(percentile({-INFINITY, 1, 2}, 0.5) == 1);
}

TEST_CASE("a line fit agrees with a calculation by hand") {
  // Means 2.5 and 4; sums of squares 5, 7 and 10; 10 - 7 * 7 / 5 = 0.2 remain, with 2 degrees of freedom.
  const auto line = fit_line({1, 2, 3, 4}, {2, 3, 5, 6});
  CHECK(line.slope == Approx(1.4));
  CHECK(line.intercept == Approx(0.5));
  CHECK(line.r2 == Approx(0.98));
  REQUIRE(line.slope_ci95);
  CHECK(line.slope_ci95->low == Approx(1.4 - 4.3026527 * std::sqrt(0.2 / 2 / 5)).epsilon(1e-7));
  CHECK(line.slope_ci95->high == Approx(1.4 + 4.3026527 * std::sqrt(0.2 / 2 / 5)).epsilon(1e-7));
  // Three points have one degree of freedom: t = 12.706205. 14/3 - 6 * 6 / 8 = 1/6 remain.
  const auto three = fit_line({0, 2, 4}, {1, 3, 4});
  CHECK(three.slope == Approx(0.75));
  REQUIRE(three.slope_ci95);
  CHECK(three.slope_ci95->width() == Approx(2 * 12.706205 * std::sqrt(1.0 / 6 / 8)).epsilon(1e-7));
}

TEST_CASE("line fits handle two points, constants and too few points") {
  const auto two = fit_line({1, 3}, {5, 1});
  CHECK(two.slope == -2);
  CHECK(two.intercept == 7);
  CHECK(two.r2 == Approx(1));
  CHECK_FALSE(two.slope_ci95);
  const auto flat = fit_line({1, 2, 3}, {0.1, 0.1, 0.1});
  CHECK(flat.slope == 0);
  CHECK(flat.intercept == 0.1);
  CHECK(flat.r2 == 1);
  CHECK(flat.slope_ci95->width() == 0);
  CHECK_THROWS_AS(fit_line({1}, {1}), Error);
  CHECK_THROWS_AS(fit_line({1, 2}, {1, 2, 3}), Error);
  CHECK_THROWS_AS(fit_line({2, 2, 2}, {1, 2, 3}), Error);
}

TEST_CASE("a power law is a line through logarithms") {
  const auto law = fit_power_law({1, 4, 9, 16}, {3, 1.5, 1, 0.75});
  CHECK(law.slope == Approx(-0.5));
  CHECK(law.intercept == Approx(std::log(3.0)));
  CHECK(law.r2 == Approx(1));
  CHECK_THROWS_AS(fit_power_law({1, 0}, {1, 2}), Error);
  CHECK_THROWS_AS(fit_power_law({1, 2}, {1, -2}), Error);
  CHECK_NOTHROW(fit_power_law({0.5, 2}, {0.25, 0.125}));
}

TEST_CASE("Welch's test by hand") {
  // a: mean 10, s 2, n 4: variance of the mean 1. b: mean 13, s 3, n 9: 1.
  const auto test = welch_test({10, 2, 4}, {13, 3, 9});
  CHECK(test.difference == -3);
  CHECK(test.error == Approx(std::sqrt(2.0)));
  CHECK(test.dof == Approx(4 / (1.0 / 3 + 1.0 / 8)));  // 8.727
  CHECK(test.p == Approx(0.0639).margin(0.0005));      // t = 2.1213
  // The 95 % interval excludes 0 exactly where p < 0.05.
  CHECK(test.interval(0.95).contains(0));
  CHECK_FALSE(test.interval(0.93).contains(0));
  CHECK(test.interval(1 - test.p).high == Approx(0).margin(1e-9));
}

TEST_CASE("Welch's test handles zero spread and equal samples") {
  const auto one = welch_test({1, 0, 5}, {0, 1, 4});  // the other's degrees alone
  CHECK(one.dof == Approx(3));
  CHECK(one.error == Approx(0.5));
  const auto none = welch_test({1, 0, 5}, {1, 0, 3});
  CHECK(none.p == 1);
  CHECK(none.interval(0.95).width() == 0);
  CHECK(welch_test({1, 0, 5}, {2, 0, 3}).p == 0);
  const auto tiny = welch_test({1e-150, 1e-150, 5}, {2e-150, 1e-150, 5});
  CHECK(tiny.dof == Approx(8));
  const auto summary = summarize({1, 2, 3, 4});
  CHECK(summary.mean == 2.5);
  CHECK(summary.std == Approx(std::sqrt(5.0 / 3)));
  CHECK(summary.n == 4);
  CHECK_THROWS_AS(summarize({1}), Error);
  CHECK_THROWS_AS(welch_test({1, 1, 1}, {1, 1, 2}), Error);
}
