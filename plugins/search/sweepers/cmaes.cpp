#include "core/compose/sweeper.h"
#include "plugins/search/sweepers/cma_es_search.h"

namespace yatlab {

YATLAB_REGISTER(Sweeper, SweeperBy<CmaEsSearch>, "cmaes",
                "CMA-ES: samples from a normal distribution whose covariance adapts to the best points");

}  // namespace yatlab
