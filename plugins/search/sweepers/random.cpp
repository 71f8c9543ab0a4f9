#include "core/compose/sweeper.h"
#include "plugins/search/sweepers/random_search.h"

namespace yatlab {

YATLAB_REGISTER(Sweeper, SweeperBy<RandomSearch>, "random", "points at random, each parameter evenly over its range");

}  // namespace yatlab
