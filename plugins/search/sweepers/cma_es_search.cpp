#include "plugins/search/sweepers/cma_es_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "plugins/search/sweepers/cma_es.h"
#include "plugins/search/sweepers/trial_order.h"
#include "plugins/search/sweepers/unit_cube.h"

namespace yatlab {
namespace {

using Kind = SearchParameter::Kind;

/// An integer's standard deviation is at least this much of its share, so that about one draw in twenty gives another integer.
constexpr double kLeastOfShare = 0.25;
/// Beyond it the mirrored distribution is uniform.
constexpr double kMostDeviation = 1;
/// Values have four digits: smaller steps give the same points.
constexpr double kLeastDeviation = 1e-12;

struct Sample {
  std::vector<double> x;  ///< before mirroring
  SearchPoint point;
};

class Replay {
 public:
  Replay(const SearchSpace& space, std::uint64_t seed, double sigma, std::size_t lambda)
      : space_(space),
        stream_(derive_seed(seed, "cma-es search")),
        distribution_(std::vector<double>(space.parameters.size(), 0.5), sigma, lambda) {
    hold();
  }

  /// Updates the distribution from the generation's results. False if some are missing.
  bool advance(const std::vector<Trial>& trials, std::size_t generation) {
    const std::size_t lambda = distribution_.lambda();
    std::vector<std::size_t> order(lambda);
    std::iota(order.begin(), order.end(), generation * lambda);
    if (order.back() >= trials.size()) return false;
    if (std::any_of(order.begin(), order.end(), [&](std::size_t i) { return trials[i].state == Trial::State::kRunning; })) return false;
    best_first(trials, order);
    if (!has_value(trials[order.front()])) return true;  // nothing to learn from
    std::vector<std::vector<double>> ranked;
    for (const auto i : order) ranked.push_back(place_of(trials[i].point, i));
    distribution_.update(ranked);
    hold();
    return true;
  }

  Sample sample(std::size_t trial) const {
    Draws draws(stream_, trial);
    Sample out;
    out.point = draw_allowed(space_, [&] {
      out.x = distribution_.sample(draws);
      auto unit = out.x;
      for (auto& u : unit) u = mirrored(u);
      return from_unit(space_, unit);
    });
    return out;
  }

 private:
  /// The trial's sample before rounding if this distribution drew it, else an equivalent place for its point.
  std::vector<double> place_of(const SearchPoint& point, std::size_t trial) const {
    auto own = sample(trial);
    bool same = true;
    for (std::size_t i = 0; i < point.size(); ++i) same = same && (std::isnan(point[i]) || point[i] == own.point[i]);
    if (same) return own.x;
    const auto& mean = distribution_.mean();
    for (std::size_t i = 0; i < point.size(); ++i) {
      own.x[i] = std::isnan(point[i]) ? mean[i] : unmirrored(to_unit(space_.parameters[i], point[i]), mean[i]);
    }
    return distribution_.plausible(own.x);
  }

  void hold() {
    std::vector<double> least;
    for (std::size_t i = 0; i < space_.parameters.size(); ++i) {
      const auto& p = space_.parameters[i];
      double deviation = kLeastDeviation;
      if (p.kind == Kind::kInteger) {
        const auto [from, to] = unit_share(p, from_unit(p, mirrored(distribution_.mean()[i])));
        deviation = std::max(deviation, kLeastOfShare * (to - from));
      }
      least.push_back(deviation);
    }
    distribution_.hold_deviations(least, kMostDeviation);
  }

  const SearchSpace& space_;
  std::uint64_t stream_;
  CmaEs distribution_;
};

}  // namespace

SearchPoint CmaEsSearch::ask(const SearchSpace& space, const std::vector<Trial>& trials) const {
  const std::size_t lambda = independent(space);
  if (space.parameters.empty()) return draw_allowed(space, [] { return SearchPoint(); });
  Replay replay(space, static_cast<std::uint64_t>(p_.seed), p_.sigma, lambda);
  for (std::size_t g = 0; g < trials.size() / lambda; ++g) {
    if (!replay.advance(trials, g)) break;
  }
  return replay.sample(trials.size()).point;
}

std::size_t CmaEsSearch::independent(const SearchSpace& space) const {
  for (const auto& p : space.parameters) {
    if (p.kind != Kind::kChoice) continue;
    throw config_error("CMA-ES supports only numbers", p.name, "it is a choice, which has no normal distribution",
                       "use sweeper=tpe, which supports choices, or one search of numbers for each choice");
  }
  if (p_.population == 1)
    throw config_error("a generation of CMA-ES needs at least two points", "population", "it is 1", "set population=0 for the default");
  if (p_.population > 0) return static_cast<std::size_t>(p_.population);
  const double n = static_cast<double>(std::max<std::size_t>(space.parameters.size(), 1));
  return 4 + static_cast<std::size_t>(3 * std::log(n));
}

}  // namespace yatlab
