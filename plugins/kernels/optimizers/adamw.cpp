#include "plugins/kernels/optimizers/adam_update.h"

namespace yatlab {

/// Adam with weight decay decoupled from the gradient.
class AdamW final : public Adam {
 public:
  struct Params : Adam::Params {
    Params() { weight_decay = 1e-2; }
    static void declare(Fields& f, Params& p) { Adam::Params::declare(f, p); }
  };
  explicit AdamW(const Params& p) : Adam(p, true) {}
};

YATLAB_REGISTER(Optimizer, AdamW, "adamw", "Adam with decoupled weight decay");

}  // namespace yatlab
