#include "core/compose/sweeper.h"
#include "plugins/search/sweepers/sobol_search.h"

namespace yatlab {

YATLAB_REGISTER(Sweeper, SweeperBy<SobolSearch>, "sobol", "points of a Sobol sequence, which cover the space evenly");

}  // namespace yatlab
