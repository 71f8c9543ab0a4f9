#include "core/compose/sweeper.h"
#include "plugins/search/sweepers/tpe_search.h"

namespace yatlab {

YATLAB_REGISTER(Sweeper, SweeperBy<TpeSearch>, "tpe", "tree-structured Parzen estimator: points like the good ones so far");

}  // namespace yatlab
