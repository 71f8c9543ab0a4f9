// Functions with known minima, for tests and the benchmark of search methods.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/compose/search.h"
#include "plugins/search/sweepers/draws.h"

namespace yatlab::testing {

struct Problem {
  std::string name;
  SearchSpace space;
  std::function<double(const SearchPoint&)> value;
  std::function<void(SearchPoint&)> record;              ///< sets inactive parameters to NaN; unset: all are active
  std::function<double(const SearchPoint&)> truth = {};  ///< the value without its noise; unset: there is no noise
};

inline SearchParameter real(const std::string& name, double low, double high, bool log = false) {
  return {name, SearchParameter::Kind::kReal, low, high, log, 0};
}
inline SearchParameter integer(const std::string& name, double low, double high, bool log = false) {
  return {name, SearchParameter::Kind::kInteger, low, high, log, 0};
}
inline SearchParameter choice(const std::string& name, std::size_t choices) {
  return {name, SearchParameter::Kind::kChoice, 0, 1, false, choices};
}

/// Zero at (1.7, -2.3, 0.4, 3.1), truncated to the dimension.
inline Problem sphere(std::size_t dimension = 4) {
  Problem out{"sphere", {}, {}, {}};
  for (std::size_t i = 0; i < dimension; ++i) out.space.parameters.push_back(real("x" + std::to_string(i), -5, 5));
  out.value = [](const SearchPoint& x) {
    static const double kAt[] = {1.7, -2.3, 0.4, 3.1};
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - kAt[i % 4]) * (x[i] - kAt[i % 4]);
    return sum;
  };
  return out;
}

/// Minimum 0 at (1, 1, 1, 1), at the end of a curved valley.
inline Problem rosenbrock() {
  Problem out{"Rosenbrock", {}, {}, {}};
  for (int i = 0; i < 4; ++i) out.space.parameters.push_back(real("x" + std::to_string(i), -2, 2));
  out.value = [](const SearchPoint& x) {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const double bend = x[i + 1] - x[i] * x[i];
      sum += 100 * bend * bend + (1 - x[i]) * (1 - x[i]);
    }
    return sum;
  };
  return out;
}

/// The sphere with normal noise of deviation 1 that depends on the point.
inline Problem noisy_sphere() {
  Problem out = sphere();
  out.name = "noisy sphere";
  out.truth = out.value;
  out.value = [sphere = out.value](const SearchPoint& x) {
    std::uint64_t place = 0;
    for (const double v : x) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &v, sizeof bits);
      place = Draws(place, bits).bits();
    }
    return sphere(x) + Draws(place, 0).normal();
  };
  return out;
}

/// Minimum 0.397887, at (-pi, 12.275), (pi, 2.275) and (9.42478, 2.475).
inline Problem branin() {
  return {"Branin",
          {{real("x", -5, 10), real("y", 0, 15)}, {}},
          [](const SearchPoint& p) {
            constexpr double kPi = 3.14159265358979323846;
            const double a = p[1] - 5.1 / (4 * kPi * kPi) * p[0] * p[0] + 5 / kPi * p[0] - 6;
            return a * a + 10 * (1 - 1 / (8 * kPi)) * std::cos(p[0]) + 10;
          },
          {}};
}

/// Minimum -3.32237, at (0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573).
inline Problem hartmann6() {
  Problem out{"Hartmann-6", {}, {}, {}};
  for (int i = 0; i < 6; ++i) out.space.parameters.push_back(real("x" + std::to_string(i), 0, 1));
  out.value = [](const SearchPoint& x) {
    static const double kAlpha[] = {1, 1.2, 3, 3.2};
    static const double kA[4][6] = {
        {10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}};
    static const double kP[4][6] = {{1312, 1696, 5569, 124, 8283, 5886},
                                    {2329, 4135, 8307, 3736, 1004, 9991},
                                    {2348, 1451, 3522, 2883, 3047, 6650},
                                    {4047, 8828, 8732, 5743, 1091, 381}};
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
      double exponent = 0;
      for (std::size_t j = 0; j < 6; ++j) exponent += kA[i][j] * (x[j] - 1e-4 * kP[i][j]) * (x[j] - 1e-4 * kP[i][j]);
      sum -= kAlpha[i] * std::exp(-exponent);
    }
    return sum;
  };
  return out;
}

/// A choice decides which of two reals is active. Minimum 0, at choice 1 with b = 0.8, rate = 0.01 and layers = 6; with choice 0 at least 0.3.
inline Problem conditional() {
  return {"conditional",
          {{choice("kind", 2), real("a", 0, 1), real("b", 0, 1), real("rate", 1e-5, 1, true), integer("layers", 1, 12)}, {}},
          [](const SearchPoint& p) {
            const double first = p[0] == 0 ? 0.3 + 4 * (p[1] - 0.2) * (p[1] - 0.2) : 6 * (p[2] - 0.8) * (p[2] - 0.8);
            const double rate = std::log10(p[3]) + 2;
            return first + 0.3 * rate * rate + 0.05 * (p[4] - 6) * (p[4] - 6);
          },
          [](SearchPoint& p) { p[p[0] == 0 ? 2 : 1] = std::nan(""); }};
}

/// Proposes and evaluates `n` points, one after another.
inline std::vector<Trial> search(const SearchMethod& method, const Problem& problem, std::size_t n) {
  std::vector<Trial> trials;
  while (trials.size() < n) {
    Trial trial{method.ask(problem.space, trials), Trial::State::kCompleted, 0};
    trial.value = problem.value(trial.point);
    if (problem.record) problem.record(trial.point);
    trials.push_back(trial);
  }
  return trials;
}

/// The noise-free value of the best among the `first` first trials.
inline double truth_of_best(const Problem& problem, const std::vector<Trial>& trials, std::size_t first) {
  const auto best = std::min_element(trials.begin(), trials.begin() + static_cast<std::ptrdiff_t>(std::min(first, trials.size())),
                                     [](const Trial& a, const Trial& b) { return a.value < b.value; });
  return problem.truth ? problem.truth(best->point) : best->value;
}

inline double best_of(const std::vector<Trial>& trials, std::size_t first = std::numeric_limits<std::size_t>::max()) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(first, trials.size()); ++i) best = std::min(best, trials[i].value);
  return best;
}

}  // namespace yatlab::testing
