#include "core/experiment/sweeper.h"
#include "core/search/random_search.h"

namespace yatlab {

YATLAB_REGISTER(Sweeper, SweeperBy<RandomSearch>, "random", "points at random, each parameter evenly over its range");

}  // namespace yatlab
