#include "plugins/search/sweepers/random_search.h"

#include "search/support.h"

using namespace yatlab;
using namespace yatlab::testing;

TEST_CASE("random search meets the contract of search methods") {
  keeps_its_promises<RandomSearch>(branin());
  keeps_its_promises<RandomSearch>(conditional());
  CHECK(RandomSearch({}).independent(branin().space) > 1000000);
}

TEST_CASE("random search draws evenly, on each parameter's scale") {
  const auto problem = conditional();
  const auto trials = search(RandomSearch({}), problem, 3000);
  int kind = 0, rate = 0;
  std::vector<int> layers(13);
  for (const auto& t : trials) {
    kind += t.point[0] == 1;
    rate += t.point[3] < 1e-4;
    ++layers[static_cast<std::size_t>(t.point[4])];
  }
  const auto near = [](int count, double share) { return std::abs(count - 3000 * share) < 6 * std::sqrt(3000 * share * (1 - share)); };
  CHECK(near(kind, 0.5));
  CHECK(near(rate, 0.2));
  for (std::size_t n = 1; n <= 12; ++n) CHECK(near(layers[n], 1 / 12.0));
}
