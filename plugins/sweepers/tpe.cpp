#include "core/experiment/sweeper.h"
#include "core/search/tpe_search.h"

namespace yatlab {

YATLAB_REGISTER(Sweeper, SweeperBy<TpeSearch>, "tpe", "tree-structured Parzen estimator: points like the good ones so far");

}  // namespace yatlab
