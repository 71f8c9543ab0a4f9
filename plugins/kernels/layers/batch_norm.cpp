#include "plugins/kernels/layers/batch_norm.h"

#include <ATen/ATen.h>

#include "core/base/error.h"

namespace yatlab {

void declare_normalization(Fields& f, Normalization& target) {
  f.choice("normalization", target, {{"none", Normalization::kNone}, {"batch", Normalization::kBatch}},
           "normalisation between every layer but the last and its activation: none, or batch normalisation");
}

BatchNorm::BatchNorm(std::int64_t channels) {
  weight = register_parameter("weight", at::ones({channels}));
  bias = register_parameter("bias", at::zeros({channels}));
  running_mean = register_buffer("running_mean", at::zeros({channels}));
  running_var = register_buffer("running_var", at::ones({channels}));
}

at::Tensor BatchNorm::forward(const at::Tensor& x) {
  constexpr double kMomentum = 0.1, kEpsilon = 1e-5;
  const auto channels = x.size(-1), values = x.numel() / channels;
  if (is_training() && values < 2) {
    throw config_error("batch normalisation needs more than one value", "architecture.normalization", "the last batch has one sample",
                       "use trainer.drop_last=true, or a different batch size");
  }
  const at::Tensor images = x.reshape({1, values, 1, channels}).permute({0, 3, 1, 2});  // channels last in memory
  // LibTorch updates the running statistics without increasing the buffers' version counters, which ranks rely on: use copies.
  at::Tensor mean = running_mean.clone(), var = running_var.clone();
  const at::Tensor y = at::batch_norm(images, weight, bias, mean, var, is_training(), kMomentum, kEpsilon, false);
  if (is_training()) {
    const at::NoGradGuard no_grad;
    running_mean.copy_(mean);
    running_var.copy_(var);
  }
  return y.permute({0, 2, 3, 1}).reshape(x.sizes());
}

}  // namespace yatlab
