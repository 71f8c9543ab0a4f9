#include "plugins/kernels/datasets/idx_images.h"

namespace yatlab {

/// Fashion-MNIST (Xiao, Rasul, Vollgraf 2017): photographs of clothes in MNIST's layout.
class FashionMnist final : public IdxImages {
 public:
  explicit FashionMnist(const Params& p)
      : IdxImages("fashion_mnist",
                  {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"}, p) {}
};

YATLAB_REGISTER(Dataset, FashionMnist, "fashion_mnist", "photographs of clothes, 28 x 28, 60000 + 10000");

}  // namespace yatlab
