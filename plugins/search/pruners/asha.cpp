#include "plugins/search/pruners/asha_pruner.h"

namespace yatlab {

YATLAB_REGISTER(Pruner, AshaPruner, "asha", "asynchronous successive halving: only the best trials of each rung continue");

}  // namespace yatlab
