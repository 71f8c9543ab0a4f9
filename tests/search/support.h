// Shared by the tests of several search methods.
#pragma once

#include <algorithm>

#include "catch.h"
#include "core/base/error.h"
#include "search/functions.h"

namespace yatlab::testing {

inline double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The median, over the seeds 1 to `seeds`, of the best value that a search found.
template <class Method>
double typical_best(typename Method::Params params, const Problem& problem, std::size_t trials, int seeds) {
  std::vector<double> out;
  for (params.seed = 1; params.seed <= seeds; ++params.seed) out.push_back(best_of(search(Method(params), problem, trials)));
  return middle_of(out);
}

/// Properties of every method: points in range, the same for the same trials, others for another seed, only allowed ones.
template <class Method>
void keeps_its_promises(Problem problem) {
  typename Method::Params params;
  params.seed = 5;
  const Method method(params);
  const auto trials = search(method, problem, 40);
  const auto of = [](const std::vector<Trial>& all, std::size_t i) {
    return std::vector<Trial>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i));
  };
  for (std::size_t i = 0; i < trials.size(); ++i) {
    for (std::size_t c = 0; c < problem.space.parameters.size(); ++c) {
      const auto& p = problem.space.parameters[c];
      const double x = trials[i].point[c];
      if (std::isnan(x)) continue;
      const double high = p.kind == SearchParameter::Kind::kChoice ? static_cast<double>(p.choices - 1) : p.high;
      CHECK(x >= p.low);
      CHECK((p.kind == SearchParameter::Kind::kReal ? x < high : x <= high));
      if (p.kind != SearchParameter::Kind::kReal) CHECK(x == std::floor(x));
    }
    // Again with a new object, which has no history.
    auto again = Method(params).ask(problem.space, of(trials, i));
    for (const double x : again) CHECK(std::isfinite(x));
    if (problem.record) problem.record(again);
    const auto& point = trials[i].point;
    CHECK(std::equal(again.begin(), again.end(), point.begin(), point.end(),
                     [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
  }
  // Up to `independent` no result may matter; later ones may depend on results.
  auto others = trials;
  for (auto& trial : others) trial.value = -trial.value;
  const auto independent = std::min<std::size_t>(method.independent(problem.space), 30);
  for (std::size_t i = 0; i < independent; ++i) {
    auto point = method.ask(problem.space, of(others, i));
    CHECK(method.ask(problem.space, of(trials, i)) == point);
  }
  params.seed = 6;
  CHECK(Method(params).ask(problem.space, {}) != method.ask(problem.space, {}));

  const auto last = problem.space.parameters.size() - 1;
  const auto unit = [&](const SearchPoint& p, std::size_t c) {
    const auto& parameter = problem.space.parameters[c];
    return (p[c] - parameter.low) / (parameter.high - parameter.low);
  };
  problem.space.allowed = [&](const SearchPoint& p) { return unit(p, last) < 0.4; };
  for (const auto& trial : search(method, problem, 40)) CHECK(unit(trial.point, last) < 0.4);
  problem.space.allowed = [](const SearchPoint&) { return false; };
  try {
    method.ask(problem.space, {});
    FAIL("no point was allowed");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kConfig);
    CHECK(e.message() == "none of 10000 points of the search satisfied its condition");
    CHECK(e.where().find(problem.space.parameters[0].name) == 0);
    CHECK(!e.hint().empty());
  }
}

}  // namespace yatlab::testing
