#include "core/model/token_loss.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/model/language_model.h"
#include "core/ops/kernel_choice.h"
#include "core/ops/pairwise.h"
#include "core/ops/softmax_rows.h"

namespace yatlab {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class Call>
void each_block(std::int64_t rows, std::int64_t block, const Call& call) {
  const std::int64_t step = block > 0 ? block : rows;
  for (std::int64_t b = 0; b < rows; b += step) call(b, std::min(step, rows - b));
}

/// Whether the row kernels support these logits.
bool plain(const Tensor& t) {
  return use_cpu_kernel(t) && (t.scalar_type() == at::kFloat || t.scalar_type() == at::kDouble || t.scalar_type() == at::kBFloat16);
}

/// Returns the loss of one row of logits, the first n of which count. If `gradient`, overwrites the row with the gradient of weight * loss.
template <class T>
double loss_of_row(T* row, std::int64_t n, std::int64_t stride, std::int64_t target, double weight, bool gradient) {
  if (gradient) std::fill(row + n, row + stride, T(0));
  const double logit = static_cast<double>(row[target]);
  if (!gradient) return kernel::log_sum_row(row, n) - logit;
  const double loss = kernel::softmax_row(row, n, T(1), static_cast<T>(weight)) - logit;
  row[target] -= static_cast<T>(weight);
  return loss;
}

/// Losses [n] (double) of a block of logits [n, rows of the head], the first `n` of each of which count. If `gradient`, overwrites the block with
/// their gradient times `weight`.
Tensor losses_of(Tensor& logits, std::int64_t n, const Tensor& targets, double weight, bool gradient) {
  const std::int64_t rows = logits.size(0), stride = logits.size(1);
  Tensor out = at::empty({rows}, at::kDouble);
  double* const losses = out.data_ptr<double>();
  const std::int64_t* const target = targets.data_ptr<std::int64_t>();
  at::parallel_for(0, rows, std::max<std::int64_t>(1, 16384 / n), [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> wide;
    for (std::int64_t r = begin; r < end; ++r) {
      if (logits.scalar_type() == at::kFloat) {
        losses[r] = loss_of_row(logits.data_ptr<float>() + r * stride, n, stride, target[r], weight, gradient);
      } else if (logits.scalar_type() == at::kDouble) {
        losses[r] = loss_of_row(logits.data_ptr<double>() + r * stride, n, stride, target[r], weight, gradient);
      } else {
        auto* const row = reinterpret_cast<std::uint16_t*>(logits.data_ptr<c10::BFloat16>()) + r * stride;
        wide.resize(static_cast<std::size_t>(stride));
        kernel::widen(row, n, wide.data());
        losses[r] = loss_of_row(wide.data(), n, stride, target[r], weight, gradient);
        if (gradient) kernel::narrow(wide.data(), stride, row);
      }
    }
  });
  return out;
}

/// The same from ATen operations, for other devices and types. Returns losses and gradient.
std::pair<Tensor, Tensor> losses_composed(const Tensor& stored, std::int64_t n, const Tensor& targets, double weight, bool gradient) {
  const Tensor target = targets.unsqueeze(1);
  Tensor out = at::log_softmax(stored.narrow(1, 0, n), 1, accumulation_type(stored.scalar_type()));
  const Tensor losses = -out.gather(1, target).squeeze(1);
  if (!gradient) return {losses, {}};
  out.exp_();
  out.scatter_add_(1, target, at::full({out.size(0), 1}, -1.0, out.options()));
  out = out.mul_(weight).to(stored.scalar_type());
  return {losses, n == stored.size(1) ? out : at::constant_pad_nd(out, {0, stored.size(1) - n})};
}

class TokenLoss : public torch::autograd::Function<TokenLoss> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& hidden, const Tensor& head, const Tensor& given_targets, std::int64_t block,
                        std::int64_t vocabulary) {
    const auto wide = accumulation_type(hidden.scalar_type());
    const bool hidden_learns = hidden.requires_grad(), head_learns = head.requires_grad(), learns = hidden_learns || head_learns;
    at::NoGradGuard no_grad;
    const std::int64_t rows = hidden.size(0), step = std::max<std::int64_t>(1, std::min(block > 0 ? block : rows, rows));
    const double weight = 1 / static_cast<double>(rows);
    const Tensor targets = given_targets.contiguous();
    Tensor total = at::zeros({}, hidden.options().dtype(at::kDouble));
    Tensor d_hidden = hidden_learns ? at::empty_like(hidden) : Tensor();
    // With several blocks, the head's gradient is summed in float.
    Tensor d_head = head_learns ? at::zeros(head.sizes(), head.options().dtype(wide)) : Tensor();
    Tensor buffer = plain(hidden) ? at::empty({step, head.size(0)}, hidden.options()) : Tensor();
    each_block(rows, block, [&](std::int64_t begin, std::int64_t count) {
      const Tensor part = hidden.narrow(0, begin, count), target = targets.narrow(0, begin, count);
      Tensor gradient, losses;
      if (buffer.defined()) {
        gradient = buffer.narrow(0, 0, count);
        at::mm_out(gradient, part, head.t());
        losses = losses_of(gradient, vocabulary, target, weight, learns);
      } else {
        std::tie(losses, gradient) = losses_composed(at::mm(part, head.t()), vocabulary, target, weight, learns);
      }
      total += losses.sum();
      if (hidden_learns) {
        Tensor out = d_hidden.narrow(0, begin, count);
        at::mm_out(out, gradient, head);
      }
      if (!head_learns) return;
      if (d_head.scalar_type() == gradient.scalar_type()) {
        d_head.addmm_(gradient.t(), part);
      } else {
        d_head += at::mm(gradient.t(), part);
      }
    });
    variable_list kept;
    if (hidden_learns) kept.push_back(d_hidden);
    if (head_learns) kept.push_back(d_head.to(head.scalar_type()));
    context->save_for_backward(kept);
    context->saved_data["hidden"] = hidden_learns;
    context->saved_data["head"] = head_learns;
    return (total * weight).to(wide);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto kept = context->get_saved_variables();
    std::size_t next = 0;
    Tensor d_hidden, d_head;
    // Usually the loss itself is minimised: skip multiplying the large gradient of the head by 1.
    const bool plainly = gradients[0].device().is_cpu() && gradients[0].item<double>() == 1;
    const auto scaled = [&](const Tensor& t) { return plainly ? t : t * gradients[0].to(t.scalar_type()); };
    if (context->saved_data["hidden"].toBool()) d_hidden = scaled(kept[next++]);
    if (context->saved_data["head"].toBool()) d_head = scaled(kept[next]);
    return {d_hidden, d_head, Tensor(), Tensor(), Tensor()};
  }
};

std::int64_t tokens_of(const Tensor& head, std::int64_t vocabulary) {
  return vocabulary > 0 ? std::min(vocabulary, head.size(0)) : head.size(0);
}

}  // namespace

Tensor token_numbers(const Tensor& stored) {
  if (stored.scalar_type() == at::kLong) return stored;
  return stored.to(at::kLong).bitwise_and(0xFFFF);
}

Tensor token_loss(const Tensor& hidden, const Tensor& head, const Tensor& targets, std::int64_t block, std::int64_t vocabulary) {
  return TokenLoss::apply(hidden, head, targets, block, tokens_of(head, vocabulary));
}

TokenScores token_scores(const Tensor& hidden, const Tensor& padded_head, const Tensor& targets, std::int64_t block,
                         std::int64_t vocabulary) {
  const at::NoGradGuard no_grad;
  const Tensor head = padded_head.narrow(0, 0, tokens_of(padded_head, vocabulary));
  const auto wide = hidden.options().dtype(accumulation_type(hidden.scalar_type()));
  TokenScores out{at::empty({hidden.size(0)}, wide), at::empty({hidden.size(0)}, wide), at::empty({hidden.size(0)}, wide.dtype(at::kBool))};
  each_block(hidden.size(0), block, [&](std::int64_t begin, std::int64_t count) {
    const Tensor target = targets.narrow(0, begin, count);
    const Tensor logits = at::matmul(hidden.narrow(0, begin, count), head.t()).to(wide.dtype());
    const Tensor log_sum = at::logsumexp(logits, {1});
    const auto [top, place] = logits.max(1);
    const Tensor low = logits.amin(1), sound = (top - top) + (low - low);  // 0, or NaN
    out.loss.narrow(0, begin, count).copy_(log_sum - logits.gather(1, target.unsqueeze(1)).squeeze(1) + sound);
    out.confidence.narrow(0, begin, count).copy_((top - log_sum).exp() + sound);
    out.correct.narrow(0, begin, count).copy_(place.eq(target));
  });
  return out;
}

}  // namespace yatlab
