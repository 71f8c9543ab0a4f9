#include "plugins/search/sweepers/cma_es.h"

#include <numeric>

#include "search/support.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

using Vector = std::vector<double>;

/// A rotation of n dimensions that mixes all of them (a product of two reflections), row-major.
Vector rotation(std::size_t n) {
  const auto reflect = [&](std::size_t i, std::size_t j, double shift) {
    double squares = 0;
    const auto at = [&](std::size_t k) { return std::sin(1.7 * static_cast<double>(k) + shift); };
    for (std::size_t k = 0; k < n; ++k) squares += at(k) * at(k);
    return (i == j ? 1 : 0) - 2 * at(i) * at(j) / squares;
  };
  Vector out(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) out[i * n + j] += reflect(i, k, 0.3) * reflect(k, j, 1.1);
    }
  }
  return out;
}

Vector times(const Vector& matrix, const Vector& x) {
  Vector out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    out[i] = std::inner_product(x.begin(), x.end(), matrix.begin() + static_cast<std::ptrdiff_t>(i * x.size()), 0.0);
  return out;
}

double ellipsoid_factor(std::size_t i, std::size_t n, double condition) {
  return n == 1 ? 1 : std::pow(condition, static_cast<double>(i) / static_cast<double>(n - 1));
}

double ellipsoid(const Vector& x, double condition) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += ellipsoid_factor(i, x.size(), condition) * x[i] * x[i];
  return sum;
}

template <class Function>
void step(CmaEs& cma, Draws& draws, Function f) {
  std::vector<Vector> points;
  for (std::size_t k = 0; k < cma.lambda(); ++k) points.push_back(cma.sample(draws));
  std::sort(points.begin(), points.end(), [&](const Vector& a, const Vector& b) { return f(a) < f(b); });
  cma.update(points);
}

/// Number of points until the mean's value is below each power of ten, 1e-1 to 1e-12.
template <class Function>
std::vector<std::size_t> points_to_decades(std::size_t n, std::uint64_t seed, Function f) {
  CmaEs cma(Vector(n, 1.0), 0.5, 4 + static_cast<std::size_t>(3 * std::log(n)));
  Draws draws(seed, "test", 0);
  std::vector<std::size_t> out;
  std::size_t points = 0;
  while (out.size() < 12 && points < 100000) {
    step(cma, draws, f);
    points += cma.lambda();
    while (out.size() < 12 && f(cma.mean()) < std::pow(10.0, -1 - static_cast<double>(out.size()))) out.push_back(points);
  }
  return out;
}

}  // namespace

TEST_CASE("eigenvalues and eigenvectors of symmetric matrices are right") {
  // By hand: 1 and 3, along (1, -1) and (1, 1).
  auto two = symmetric_eigen({2, 1, 1, 2}, 2);
  std::sort(two.values.begin(), two.values.end());
  CHECK(two.values[0] == Approx(1));
  CHECK(two.values[1] == Approx(3));
  CHECK(symmetric_eigen({7}, 1).values == Vector{7});
  for (const std::size_t n : {2, 3, 6, 15}) {
    const auto r = rotation(n);
    Vector matrix(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k) matrix[i * n + j] += r[k * n + i] * ellipsoid_factor(k, n, 1e6) * r[k * n + j];
      }
    }
    auto eigen = symmetric_eigen(matrix, n);
    for (std::size_t j = 0; j < n; ++j) {
      Vector column(n);
      for (std::size_t i = 0; i < n; ++i) column[i] = eigen.vectors[i * n + j];
      CHECK(std::inner_product(column.begin(), column.end(), column.begin(), 0.0) == Approx(1));
      const auto image = times(matrix, column);
      for (std::size_t i = 0; i < n; ++i) CHECK(image[i] == Approx(eigen.values[j] * column[i]).margin(1e-8));
    }
    std::sort(eigen.values.begin(), eigen.values.end());
    for (std::size_t i = 0; i < n; ++i) CHECK(eigen.values[i] == Approx(ellipsoid_factor(i, n, 1e6)).epsilon(1e-8));
  }
}

TEST_CASE("CMA-ES converges linearly on ellipsoids, rotated or not") {
  // The rotation changes nothing on average: a method that follows the axes would take far longer.
  for (const std::size_t n : {1, 2, 5}) {
    const auto r = rotation(n);
    double straight = 0, rotated = 0, first = 0, second = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const auto a = points_to_decades(n, seed, [](const Vector& x) { return ellipsoid(x, 1e4); });
      const auto b = points_to_decades(n, seed, [&](const Vector& x) { return ellipsoid(times(r, x), 1e4); });
      REQUIRE(a.size() == 12);
      REQUIRE(b.size() == 12);
      straight += static_cast<double>(a[11]);
      rotated += static_cast<double>(b[11]);
      first += static_cast<double>(b[7] - b[3]);
      second += static_cast<double>(b[11] - b[7]);
    }
    INFO(n << " dimensions: " << straight / 10 << " and " << rotated / 10 << " points; " << first / 10 << ", " << second / 10);
    CHECK(rotated < 1.25 * straight);
    CHECK(straight < 1.25 * rotated);
    CHECK(second < 1.4 * first);
    CHECK(first < 1.4 * second);
  }
  double points = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    points += static_cast<double>(points_to_decades(10, seed, [](const Vector& x) { return ellipsoid(x, 1); })[8]) / 10;
  }
  INFO(points << " points for the sphere in ten dimensions");
  CHECK(points > 1200);
  CHECK(points < 1900);
}

TEST_CASE("the covariance of CMA-ES converges to the scaled inverse Hessian") {
  constexpr std::size_t kN = 4;
  const auto r = rotation(kN);
  CmaEs cma(Vector(kN, 1.0), 0.5, 8);
  Draws draws(1, "test", 0);
  for (int i = 0; i < 250; ++i) step(cma, draws, [&](const Vector& x) { return ellipsoid(times(r, x), 1e4); });
  // R C R^T is diagonal, with ratios 1, 1 / 21.5, 1 / 464, 1 / 10^4.
  Vector turned;
  for (std::size_t i = 0; i < kN; ++i) {
    const Vector row(r.begin() + static_cast<std::ptrdiff_t>(i * kN), r.begin() + static_cast<std::ptrdiff_t>((i + 1) * kN));
    const auto image = times(cma.covariance(), row);
    turned.push_back(std::inner_product(row.begin(), row.end(), image.begin(), 0.0) * ellipsoid_factor(i, kN, 1e4));
  }
  const auto [least, most] = std::minmax_element(turned.begin(), turned.end());
  INFO(turned[0] << " " << turned[1] << " " << turned[2] << " " << turned[3]);
  CHECK(*most < 8 * *least);
}

TEST_CASE("CMA-ES without selection is unbiased") {
  for (const std::size_t n : {1, 4, 8}) {
    double log_sigma = 0, trace = 0;
    constexpr int kSeeds = 400, kGenerations = 25;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      CmaEs cma(Vector(n, 0.0), 1, 8);
      Draws draws(seed, "neutral", 0);
      for (int i = 0; i < kGenerations; ++i) {
        std::vector<Vector> points;
        for (int k = 0; k < 8; ++k) points.push_back(cma.sample(draws));
        cma.update(points);
      }
      log_sigma += std::log(cma.sigma()) / kSeeds;
      for (std::size_t i = 0; i < n; ++i) trace += cma.covariance()[i * n + i] / static_cast<double>(n) / kSeeds;
    }
    INFO(n << ": " << log_sigma << " " << trace);
    CHECK(std::abs(log_sigma) < 0.15);
    if (n > 1) CHECK(trace == Approx(1).epsilon(0.15));  // with n = 1 the mean is dominated by a few large values
  }
}

TEST_CASE("CMA-ES bounds its deviations and shortens implausible steps") {
  CmaEs cma({0, 0}, 0.1, 6);
  cma.hold_deviations({0.4, 0.01}, 1);
  CHECK(cma.deviations()[0] == Approx(0.4));
  CHECK(cma.deviations()[1] == Approx(0.1));
  CHECK(cma.sigma() == 0.1);
  Draws draws(1, "test", 0);
  double squares = 0;
  for (int i = 0; i < 4000; ++i) squares += std::pow(cma.sample(draws)[0], 2) / 4000;
  CHECK(squares == Approx(0.16).epsilon(0.15));
  // The mean becomes the weighted mean of the better half, with or without limits: ln 3.5 - ln i, over their sum.
  auto moved = cma;
  moved.update({{1, 0}, {0, 0.2}, {0, 0.3}, {5, 5}, {6, 6}, {7, 7}});
  const double sum = 3 * std::log(3.5) - std::log(6.0);
  CHECK(moved.mean()[0] == Approx(std::log(3.5) / sum));
  CHECK(moved.mean()[1] == Approx((0.2 * std::log(3.5 / 2) + 0.3 * std::log(3.5 / 3)) / sum));
  // Beyond sqrt(2) + 1 deviations.
  CHECK(cma.plausible({0.4, 0.1}) == Vector{0.4, 0.1});
  CHECK(cma.plausible({4, 0})[0] == Approx(0.4 * (std::sqrt(2.0) + 1)));
  CHECK(cma.plausible({0, -4})[1] == Approx(-0.1 * (std::sqrt(2.0) + 1)));
  cma.hold_deviations({0.01, 0.01}, 0.05);
  CHECK(cma.deviations()[0] == Approx(0.05));
  CHECK(cma.sigma() == Approx(0.05));
}
