#include "plugins/kernels/datasets/idx_images.h"

namespace yatlab {

/// MNIST (LeCun, Cortes, Burges): 60000 + 10000 handwritten digits, 28 x 28.
class Mnist final : public IdxImages {
 public:
  explicit Mnist(const Params& p) : IdxImages("mnist", {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, p) {}
};

YATLAB_REGISTER(Dataset, Mnist, "mnist", "handwritten digits, 28 x 28, 60000 + 10000");

}  // namespace yatlab
