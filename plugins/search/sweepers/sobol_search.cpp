#include "plugins/search/sweepers/sobol_search.h"

#include <fmt/format.h>

#include <boost/random/sobol.hpp>
#include <limits>

#include "core/base/error.h"
#include "plugins/search/sweepers/draws.h"
#include "plugins/search/sweepers/unit_cube.h"

namespace yatlab {
namespace {

/// The size of Boost's table.
constexpr std::size_t kMostDimensions = 3667;
/// Reals are rounded only within one of this many equal intervals, which keeps up to as many points evenly spread.
constexpr double kCells = 0x1p20;

class ShiftedSobol {
 public:
  ShiftedSobol(const SearchSpace& space, std::uint64_t seed) : space_(space), engine_(space.parameters.size()) {
    Draws draws(seed, "sobol search", 0);
    for (std::size_t i = 0; i < space.parameters.size(); ++i) shift_.push_back(draws.bits());
  }

  /// Boost leaves out the sequence's first point, zero, without which the first 2^k points would not be evenly spread.
  SearchPoint next() {
    std::vector<double> unit;
    for (const auto shift : shift_) {
      const std::uint64_t bits = (at_ == 0 ? 0 : engine_()) ^ shift;
      unit.push_back(static_cast<double>(bits >> 11) * 0x1p-53);
    }
    ++at_;
    return from_unit(space_, unit, kCells);
  }

  /// Only before the first `next`.
  void skip(std::size_t points) {
    if (points > 1) engine_.discard((points - 1) * shift_.size());
    at_ += points;
  }

 private:
  const SearchSpace& space_;
  boost::random::sobol engine_;
  std::vector<std::uint64_t> shift_;
  std::size_t at_ = 0;
};

}  // namespace

SearchPoint SobolSearch::ask(const SearchSpace& space, const std::vector<Trial>& trials) const {
  if (space.parameters.empty()) return draw_allowed(space, [] { return SearchPoint(); });
  if (space.parameters.size() > kMostDimensions) {
    throw config_error(fmt::format("a Sobol sequence supports at most {} parameters", kMostDimensions), "the search's parameters",
                       fmt::format("there are {}", space.parameters.size()), "use sweeper=random");
  }
  ShiftedSobol sequence(space, static_cast<std::uint64_t>(p_.seed));
  const auto next = [&] { return draw_allowed(space, [&] { return sequence.next(); }); };
  if (!space.allowed) {
    sequence.skip(trials.size());
  } else {
    for (std::size_t i = 0; i < trials.size(); ++i) next();
  }
  return next();
}

std::size_t SobolSearch::independent(const SearchSpace&) const { return std::numeric_limits<std::size_t>::max(); }

}  // namespace yatlab
