#include <ATen/ATen.h>

#include "core/model/initializer.h"

namespace yatlab {
namespace {

/// Zeros. Meant for biases: prototypes that all start at 0 stay equal.
class Zeros final : public Initializer {
 public:
  void fill(Tensor& weight, at::Generator) const override { weight.zero_(); }
};

YATLAB_REGISTER(Initializer, Zeros, "zeros", "zeros, for biases");

}  // namespace
}  // namespace yatlab
