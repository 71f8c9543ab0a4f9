#include "plugins/search/sweepers/random_search.h"

#include <limits>

#include "plugins/search/sweepers/draws.h"
#include "plugins/search/sweepers/unit_cube.h"

namespace yatlab {

SearchPoint RandomSearch::ask(const SearchSpace& space, const std::vector<Trial>& trials) const {
  Draws draws(static_cast<std::uint64_t>(p_.seed), "random search", trials.size());
  return draw_allowed(space, [&] {
    std::vector<double> unit(space.parameters.size());
    for (auto& u : unit) u = draws.uniform();
    return from_unit(space, unit);
  });
}

std::size_t RandomSearch::independent(const SearchSpace&) const { return std::numeric_limits<std::size_t>::max(); }

}  // namespace yatlab
