#include "plugins/kernels/optimizers/adam_update.h"

namespace yatlab {

YATLAB_REGISTER(Optimizer, Adam, "adam", "Adam; weight decay, if any, is an L2 penalty");

}  // namespace yatlab
