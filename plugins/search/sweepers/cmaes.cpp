#include "core/compose/sweeper.h"
#include "plugins/search/sweepers/cma_es_search.h"

namespace yatlab {

YATLAB_REGISTER(Sweeper, SweeperBy<CmaEsSearch>, "cmaes", "CMA-ES: a population whose spread learns the shape of the valley");

}  // namespace yatlab
