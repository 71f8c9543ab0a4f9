#include "plugins/search/pruners/median_pruner.h"

namespace yatlab {

YATLAB_REGISTER(Pruner, MedianPruner, "median", "stops trials that are worse than the median of the others at that step");

}  // namespace yatlab
