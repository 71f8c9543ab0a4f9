#include "core/verdict/statistics.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"

namespace yatlab {
namespace {

bool all_equal(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
}

std::optional<Interval> around_mean(const std::vector<double>& values, double level, double scale) {
  const auto s = sample_std(values);
  if (!s) return std::nullopt;
  const double m = mean(values);
  const double t = t_quantile(0.5 + level / 2, static_cast<double>(values.size()) - 1);
  return Interval{m - t * *s * scale, m + t * *s * scale};
}

}  // namespace

double mean(const std::vector<double>& values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (all_equal(values)) return values.front();
  double sum = 0;
  for (double v : values) sum += v;
  const double first = sum / static_cast<double>(values.size());
  // A second pass removes the rounding error of the first.
  double rest = 0;
  for (double v : values) rest += v - first;
  return first + rest / static_cast<double>(values.size());
}

std::optional<double> sample_std(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  if (all_equal(values)) return 0.0;
  const double m = mean(values);
  double squares = 0;
  for (double v : values) squares += (v - m) * (v - m);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double t_quantile(double p, double dof) { return boost::math::quantile(boost::math::students_t(dof), p); }

std::optional<Interval> confidence_interval(const std::vector<double>& values, double level) {
  return around_mean(values, level, 1 / std::sqrt(static_cast<double>(values.size())));
}

std::optional<Interval> prediction_interval(const std::vector<double>& values, double level) {
  return around_mean(values, level, std::sqrt(1 + 1 / static_cast<double>(values.size())));
}

Interval wilson_interval(double successes, double trials, double level) {
  if (trials <= 0) return {0, 1};
  const double z = boost::math::quantile(boost::math::normal(), 0.5 + level / 2);
  const double share = successes / trials, z2 = z * z / trials;
  const double centre = (share + z2 / 2) / (1 + z2);
  const double half = z / (1 + z2) * std::sqrt(share * (1 - share) / trials + z2 / (4 * trials));
  // At the ends the bound is exact; rounding must not push it past them.
  return {successes <= 0 ? 0 : std::max(0.0, centre - half), successes >= trials ? 1 : std::min(1.0, centre + half)};
}

std::optional<Interval> reported_interval(const std::vector<double>& values, bool share) {
  const bool binary = std::all_of(values.begin(), values.end(), [](double v) { return v == 0 || v == 1; });
  if (!share || !binary || values.empty()) return confidence_interval(values);
  const double n = static_cast<double>(values.size());
  return wilson_interval(mean(values) * n, n);
}

std::optional<double> sign_flip_p(const std::vector<double>& differences) {
  const std::size_t n = differences.size();
  if (n == 0 || n > kExactSignFlipLimit) return std::nullopt;
  double observed = 0, magnitude = 0;
  for (double d : differences) {
    observed += d;
    magnitude += std::abs(d);
  }
  // Sums that are equal in exact arithmetic may differ in their last bits.
  const double threshold = std::abs(observed) - 1e-12 * magnitude;
  std::size_t extreme = 0;
  for (std::size_t signs = 0; signs < (std::size_t{1} << n); ++signs) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += (signs >> i & 1) ? -differences[i] : differences[i];
    extreme += std::abs(sum) >= threshold;
  }
  return static_cast<double>(extreme) / static_cast<double>(std::size_t{1} << n);
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> out(p.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(p.size() - i) * p[order[i]]));
    out[order[i]] = largest;
  }
  return out;
}

PairedTest paired_test(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) {
    throw Error(ErrorKind::kInternal, "a paired test needs samples of equal length");
  }
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(a[i] - b[i]);
  PairedTest out;
  out.n = differences.size();
  out.difference = mean(differences);
  out.std = sample_std(differences);
  out.ci95 = confidence_interval(differences);
  if (out.n >= kFewestSignFlips) out.p_sign_flip = sign_flip_p(differences);
  if (out.std) {
    if (*out.std == 0) {
      out.p = out.difference == 0 ? 1.0 : 0.0;
    } else {
      const double n = static_cast<double>(out.n);
      const double t = std::abs(out.difference) / (*out.std / std::sqrt(n));
      out.p = 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(n - 1), t));
    }
  }
  return out;
}

double p_above(const PairedTest& test, double limit, double sign) {
  const double above = sign * test.difference - limit;
  if (*test.std == 0) return above > 0 ? 0 : 1;
  const double n = static_cast<double>(test.n);
  return boost::math::cdf(boost::math::complement(boost::math::students_t(n - 1), above / (*test.std / std::sqrt(n))));
}

SampleSummary summarize(const std::vector<double>& values) {
  if (values.size() < 2) throw Error(ErrorKind::kInternal, "a sample needs at least two values");
  return {mean(values), *sample_std(values), values.size()};
}

Interval WelchTest::interval(double level) const {
  const double half = error > 0 ? t_quantile(0.5 + level / 2, dof) * error : 0;
  return {difference - half, difference + half};
}

WelchTest welch_test(const SampleSummary& a, const SampleSummary& b) {
  if (a.n < 2 || b.n < 2) throw Error(ErrorKind::kInternal, "a sample needs at least two values");
  const auto variance_of_mean = [](const SampleSummary& s) { return s.std * s.std / static_cast<double>(s.n); };
  const double va = variance_of_mean(a), vb = variance_of_mean(b);
  WelchTest out;
  out.difference = a.mean - b.mean;
  out.error = std::sqrt(va + vb);
  if (out.error == 0) {
    out.p = out.difference == 0 ? 1 : 0;
    return out;
  }
  // Divide first: squares of tiny variances underflow.
  const double ra = va / (va + vb), rb = vb / (va + vb);
  out.dof = 1 / (ra * ra / static_cast<double>(a.n - 1) + rb * rb / static_cast<double>(b.n - 1));
  out.p = 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(out.dof), std::abs(out.difference) / out.error));
  return out;
}

double percentile(std::vector<double> values, double p) {
  values.erase(std::remove_if(values.begin(), values.end(), [](double v) { return std::isnan(v); }), values.end());
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const double at = std::clamp(p, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - std::floor(at)) * (values[above] - values[below]);
}

LineFit fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = x.size();
  if (n != y.size() || n < 2) throw Error(ErrorKind::kInternal, "a fitted line needs at least two points");
  const double mx = mean(x), my = mean(y);
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < n; ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    xy += (x[i] - mx) * (y[i] - my);
    yy += (y[i] - my) * (y[i] - my);
  }
  if (!(xx > 0)) throw Error(ErrorKind::kInternal, "a fitted line needs at least two different x values");
  LineFit out;
  out.slope = xy / xx;
  out.intercept = my - out.slope * mx;
  const double residual = std::max(0.0, yy - out.slope * xy);
  out.r2 = yy > 0 ? 1 - residual / yy : 1;
  if (n >= 3) {
    const double dof = static_cast<double>(n - 2);
    const double half = t_quantile(0.975, dof) * std::sqrt(residual / dof / xx);
    out.slope_ci95 = Interval{out.slope - half, out.slope + half};
  }
  return out;
}

LineFit fit_power_law(const std::vector<double>& x, const std::vector<double>& y) {
  const auto logs = [](const std::vector<double>& values) {
    std::vector<double> out;
    for (const double v : values) {
      if (!(v > 0)) throw Error(ErrorKind::kInternal, "a power law needs positive numbers");
      out.push_back(std::log(v));
    }
    return out;
  };
  return fit_line(logs(x), logs(y));
}

}  // namespace yatlab
