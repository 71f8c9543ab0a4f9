#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace yatlab {

/// The level of every test.
constexpr double kSignificant = 0.05;
/// The minimum number of pairs for a paired test to decide anything.
constexpr std::size_t kFewestPairs = 3;

/// A closed interval. `low <= high`.
struct Interval {
  double low = 0, high = 0;
  double width() const { return high - low; }
  bool contains(double x) const { return low <= x && x <= high; }
};

/// Arithmetic mean; NaN when empty. Exact when all values are equal.
double mean(const std::vector<double>& values);

/// Sample standard deviation (divides by n - 1); empty when n < 2, exactly 0 when all are equal.
std::optional<double> sample_std(const std::vector<double>& values);

/// The `p` quantile of Student's t distribution with `dof` > 0 degrees of freedom.
double t_quantile(double p, double dof);

/// Two-sided confidence interval of the mean, mean ± t·s/sqrt(n); empty when n < 2.
std::optional<Interval> confidence_interval(const std::vector<double>& values, double level = 0.95);

/// Contains one more run with probability `level`: mean ± t·s·sqrt(1 + 1/n); empty when n < 2.
std::optional<Interval> prediction_interval(const std::vector<double>& values, double level = 0.95);

/// Wilson's score interval for a share of `successes` among `trials`; [0, 1] when there are none.
Interval wilson_interval(double successes, double trials, double level = 0.95);

/// The interval in reports: Wilson's for shares (values of 0 and 1), else the mean's by Student's t.
std::optional<Interval> reported_interval(const std::vector<double>& values, bool share);

/// The maximum number of pairs for which the sign-flip test enumerates all 2^n signs.
constexpr std::size_t kExactSignFlipLimit = 12;
/// The minimum number for p below 0.05: p is never below 2/2^n, which is 0.0625 with five pairs and 0.25 with three.
constexpr std::size_t kFewestSignFlips = 6;

/// Holm's step-down adjustment of a family of p-values, in their order. Rejecting those below `level` keeps the probability of any false rejection
/// below `level`, however the tests depend on each other.
std::vector<double> holm(const std::vector<double>& p);

/// Two-sided p of the exact sign-flip (permutation) test that differences are symmetric about 0: the share of all 2^n sign patterns whose |sum| is at
/// least the observed one (ties count; relative tolerance 1e-12). Empty without differences, or with more than kExactSignFlipLimit of them.
std::optional<double> sign_flip_p(const std::vector<double>& differences);

/// Paired comparison of two arms: a[i] and b[i] come from the same seed.
struct PairedTest {
  std::size_t n = 0;
  double difference = 0;              ///< mean of a - b; NaN when n = 0
  std::optional<double> std;          ///< standard deviation of the differences; n >= 2
  std::optional<Interval> ci95;       ///< of the mean difference; n >= 2
  std::optional<double> p;            ///< paired t-test, two-sided; n >= 2. Without spread: 0, or 1 if a = b
  std::optional<double> p_sign_flip;  ///< exact; only for kFewestSignFlips <= n <= kExactSignFlipLimit
};

/// Throws an internal error when the lengths differ.
PairedTest paired_test(const std::vector<double>& a, const std::vector<double>& b);
/// The one-sided p of `sign` times the mean difference being above `limit`; without spread 0 or 1. Needs n >= 2.
double p_above(const PairedTest& test, double limit, double sign = 1);

/// Summary of a sample: mean, sample standard deviation and size.
struct SampleSummary {
  double mean = 0, std = 0;
  std::size_t n = 0;
};
/// Throws an internal error for fewer than two values.
SampleSummary summarize(const std::vector<double>& values);

/// Welch's comparison of two independent samples, whose spreads may differ.
struct WelchTest {
  double difference = 0;  ///< mean of a - mean of b
  double error = 0;       ///< standard error of the difference; 0 where neither sample has a spread
  double dof = 0;         ///< Welch and Satterthwaite's degrees of freedom; 0 without an error
  double p = 1;           ///< two-sided; without an error 0, or 1 if the means are equal
  /// Of the difference, at a level; a single point when the error is 0.
  Interval interval(double level) const;
};
/// Throws an internal error where a sample has fewer than two values.
WelchTest welch_test(const SampleSummary& a, const SampleSummary& b);

/// The `p` quantile (p in [0, 1]) of `values`, with linear interpolation between order statistics; NaN when empty. NaNs among the values are ignored.
double percentile(std::vector<double> values, double p);

/// A straight line through points by least squares.
struct LineFit {
  double slope = 0, intercept = 0;
  std::optional<Interval> slope_ci95;  ///< by Student's t, residuals taken as independent; n >= 3
  double r2 = 0;                       ///< share of the variance explained; 1 when y does not vary
};
/// Throws an internal error when lengths differ, there are fewer than 2 points, or all x are equal.
LineFit fit_line(const std::vector<double>& x, const std::vector<double>& y);
/// y = c x^slope, fitted as a line through the logarithms; `intercept` is log c. All numbers must be positive.
LineFit fit_power_law(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace yatlab
