#include "plugins/kernels/tasks/class_loss.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/ops/exponential.h"
#include "core/ops/kernel_choice.h"
#include "core/ops/vector_code.h"

namespace yatlab {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kLanes = 16;  // rows processed at once: there are often fewer classes than vector lanes

/// Rows of scores, `stride` apart, and the output for their gradients.
struct Rows {
  const float* scores;
  const std::int64_t* targets;
  float* gradients;  ///< softmax - one-hot, times `weight`; null if not needed
  std::int64_t stride, classes;
  float weight;
};

/// The sum of the losses of rows [begin, end). `held`: kLanes * classes numbers.
YATLAB_INLINE double losses_body(const Rows& rows, std::int64_t begin, std::int64_t end, float* __restrict held) {
  double out = 0;
  for (std::int64_t first = begin; first < end; first += kLanes) {
    const auto lanes = std::min(kLanes, end - first);
    float top[kLanes], sum[kLanes] = {};
    for (std::int64_t l = 0; l < kLanes; ++l) {  // missing rows repeat the last one
      const float* row = rows.scores + (first + std::min(l, lanes - 1)) * rows.stride;
      for (std::int64_t c = 0; c < rows.classes; ++c) held[c * kLanes + l] = row[c];
    }
    for (std::int64_t l = 0; l < kLanes; ++l) top[l] = held[l];
    for (std::int64_t c = 1; c < rows.classes; ++c) {
      const float* at = held + c * kLanes;
      // NaN is kept: it is not below anything.
      for (std::int64_t l = 0; l < kLanes; ++l) top[l] = at[l] <= top[l] ? top[l] : at[l];
    }
    for (std::int64_t l = 0; l < lanes; ++l) {
      const auto target = rows.targets[first + l];
      out -= static_cast<double>(held[target * kLanes + l]) - static_cast<double>(top[l]);
    }
    for (std::int64_t c = 0; c < rows.classes; ++c) {
      float* at = held + c * kLanes;
      for (std::int64_t l = 0; l < kLanes; ++l) {
        at[l] = kernel::exponential(at[l] - top[l]);
        sum[l] += at[l];
      }
    }
    for (std::int64_t l = 0; l < lanes; ++l) out += std::log(static_cast<double>(sum[l]));
    if (!rows.gradients) continue;
    for (std::int64_t l = 0; l < kLanes; ++l) sum[l] = rows.weight / sum[l];
    for (std::int64_t c = 0; c < rows.classes; ++c) {
      float* at = held + c * kLanes;
      for (std::int64_t l = 0; l < kLanes; ++l) at[l] *= sum[l];
    }
    for (std::int64_t l = 0; l < lanes; ++l) {
      float* to = rows.gradients + (first + l) * rows.stride;
      for (std::int64_t c = 0; c < rows.classes; ++c) to[c] = held[c * kLanes + l];
      to[rows.targets[first + l]] -= rows.weight;
    }
  }
  return out;
}

/// The losses, and their gradients unless those are undefined. scores, rows of contiguous numbers: [S, B, C] or, for one model, [B, C]; targets: [S,
/// B] or [B], contiguous -> [S], or a scalar
Tensor losses_of(const Tensor& scores, const Tensor& targets, const Tensor& gradients) {
  const bool one = scores.dim() == 2;
  const auto members = one ? 1 : scores.size(0), batch = scores.size(-2), classes = scores.size(-1);
  const auto apart = one ? 0 : scores.stride(0), row = scores.stride(-2);
  Tensor out = one ? at::empty({}, scores.options()) : at::empty({members}, scores.options());
  const auto* begin_scores = scores.data_ptr<float>();
  const auto* begin_targets = targets.data_ptr<std::int64_t>();
  auto* begin_gradients = gradients.defined() ? gradients.data_ptr<float>() : nullptr;
  auto* losses = out.data_ptr<float>();
  at::parallel_for(0, members, std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, batch * classes)),
                   [&](std::int64_t begin, std::int64_t end) {
                     std::vector<float> held(static_cast<std::size_t>(kLanes * classes));
                     for (std::int64_t m = begin; m < end; ++m) {
                       const Rows rows{begin_scores + m * apart,
                                       begin_targets + m * batch,
                                       begin_gradients ? begin_gradients + m * apart : nullptr,
                                       row,
                                       classes,
                                       1.0F / static_cast<float>(batch)};
                       const double sum = kernel::vector_code([&]() YATLAB_VECTORS { return losses_body(rows, 0, batch, held.data()); });
                       losses[m] = static_cast<float>(sum / static_cast<double>(batch));
                     }
                   });
  return out;
}

/// Composed of at::log_softmax and at::nll_loss.
Tensor class_loss_composed(const Tensor& scores, const Tensor& targets) { return at::nll_loss(at::log_softmax(scores, -1), targets); }

/// For either shape.
Tensor composed(const Tensor& scores, const Tensor& targets) {
  return scores.dim() == 2 ? class_loss_composed(scores, targets) : class_losses_composed(scores, targets);
}

class ClassLosses : public torch::autograd::Function<ClassLosses> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& scores, const Tensor& targets) {
    const at::AutoDispatchBelowADInplaceOrView below;
    const Tensor gradients = at::empty_strided(scores.sizes(), scores.strides(), scores.options());
    Tensor out = losses_of(scores, targets, gradients);
    ctx->save_for_backward({scores, targets, gradients});
    return out;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const auto saved = ctx->get_saved_variables();
    if (at::GradMode::is_enabled())  // double backward
      return {torch::autograd::grad({composed(saved[0], saved[1])}, {saved[0]}, {grads[0]}, true, true)[0], Tensor()};
    const Tensor g = grads[0].contiguous();
    const float* begin = g.data_ptr<float>();
    // Usually the losses themselves are minimised.
    if (std::all_of(begin, begin + g.numel(), [](float v) { return v == 1; })) return {saved[2], Tensor()};
    return {saved[2] * (saved[0].dim() == 2 ? g : g.view({-1, 1, 1})), Tensor()};
  }
};

}  // namespace

Tensor class_losses_composed(const Tensor& scores, const Tensor& targets) {
  return -at::log_softmax(scores, -1).gather(-1, targets.unsqueeze(-1)).squeeze(-1).mean(1);
}

Tensor class_losses(const Tensor& scores, const Tensor& given) {
  const bool fused = use_cpu_kernel(scores) && scores.scalar_type() == at::kFloat && scores.numel() > 0;
  if (!fused) return composed(scores, given);
  const Tensor targets = given.contiguous();
  const auto* begin = targets.data_ptr<std::int64_t>();
  const auto classes = scores.size(-1);
  if (!std::all_of(begin, begin + targets.numel(), [&](std::int64_t t) { return 0 <= t && t < classes; }))
    return composed(scores, given);  // throws the error
  const Tensor rows = scores.stride(-1) == 1 ? scores : scores.contiguous();
  if (at::GradMode::is_enabled() && scores.requires_grad()) return ClassLosses::apply(rows, targets);
  return losses_of(rows, targets, {});
}

}  // namespace yatlab
