#include "plugins/search/pruners/asha_pruner.h"

namespace yatlab {

YATLAB_REGISTER(Pruner, AshaPruner, "asha", "asynchronous successive halving: of each rung only the best go on");

}  // namespace yatlab
