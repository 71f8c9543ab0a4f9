#include "core/compose/sweeper.h"
#include "plugins/search/sweepers/random_search.h"

namespace yatlab {

YATLAB_REGISTER(Sweeper, SweeperBy<RandomSearch>, "random", "random points, each parameter uniform over its range");

}  // namespace yatlab
