#include "core/ops/causal_softmax.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/ops/kernel_choice.h"
#include "core/ops/pairwise.h"
#include "core/ops/softmax_rows.h"
#include "core/ops/torch_operators.h"

namespace yatlab {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Whether the row kernels support this tensor.
bool plain(const Tensor& t) {
  return use_cpu_kernel(t) && (t.scalar_type() == at::kFloat || t.scalar_type() == at::kDouble || t.scalar_type() == at::kBFloat16);
}

/// Calls work(r, from, to) for every row of two contiguous tensors of the same type and shape; bf16 rows are passed as floats. `to` is read and
/// written.
template <class Work>
void each_row(const Tensor& in, Tensor& out, const Work& work) {
  const std::int64_t n = in.size(-1), rows = n > 0 ? in.numel() / n : 0;
  at::parallel_for(0, rows, std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, n)), [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> a(static_cast<std::size_t>(n)), b(static_cast<std::size_t>(n));
    for (std::int64_t r = begin; r < end; ++r) {
      if (in.scalar_type() == at::kFloat) {
        work(r, in.data_ptr<float>() + r * n, out.data_ptr<float>() + r * n);
      } else if (in.scalar_type() == at::kDouble) {
        work(r, in.data_ptr<double>() + r * n, out.data_ptr<double>() + r * n);
      } else {
        const auto bits = [&](const Tensor& t) { return reinterpret_cast<std::uint16_t*>(t.data_ptr<c10::BFloat16>()) + r * n; };
        kernel::widen(bits(in), n, a.data());
        kernel::widen(bits(out), n, b.data());
        work(r, a.data(), b.data());
        kernel::narrow(b.data(), n, bits(out));
      }
    }
  });
}

Tensor rows_of_softmax(const Tensor& scores, double factor, std::int64_t first) {
  const std::int64_t rows = scores.size(-2), n = scores.size(-1);
  Tensor out = scores.clone(at::MemoryFormat::Contiguous);
  each_row(scores, out, [&](std::int64_t r, const auto*, auto* to) {
    using T = std::remove_reference_t<decltype(*to)>;
    const std::int64_t seen = std::min(n, first + r % rows + 1);
    kernel::softmax_row(to, seen, static_cast<T>(factor), T(1));
    std::fill(to + seen, to + n, T(0));
  });
  return out;
}

Tensor rows_of_softmax_backward(const Tensor& grad, const Tensor& weights, double factor, std::int64_t first) {
  const std::int64_t rows = weights.size(-2), n = weights.size(-1);
  Tensor d_scores = grad.clone(at::MemoryFormat::Contiguous);
  each_row(weights, d_scores, [&](std::int64_t r, const auto* y, auto* g) {
    using T = std::remove_reference_t<decltype(*g)>;
    const std::int64_t seen = std::min(n, first + r % rows + 1);
    kernel::softmax_row_backward(y, g, seen, static_cast<T>(factor));
    std::fill(g + seen, g + n, T(0));
  });
  return d_scores;
}

class CausalSoftmax : public torch::autograd::Function<CausalSoftmax> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& scores, double factor, std::int64_t first) {
    at::NoGradGuard no_grad;
    const Tensor out = causal_softmax_forward(scores.contiguous(), factor, first);
    context->save_for_backward({out});
    context->saved_data["factor"] = factor;
    context->saved_data["first"] = first;
    return out;
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const Tensor out = context->get_saved_variables()[0];
    const double factor = context->saved_data["factor"].toDouble();
    if (at::GradMode::is_enabled()) {  // may be differentiated again
      return {out * (gradients[0] - (out * gradients[0]).sum(-1, true)) * factor, Tensor(), Tensor()};
    }
    return {causal_softmax_backward(gradients[0], out, factor, context->saved_data["first"].toInt()), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor visible_keys(std::int64_t first_query, std::int64_t queries, std::int64_t first_key, std::int64_t keys, at::Device device) {
  if (first_key + keys - 1 <= first_query) return {};
  const auto options = at::TensorOptions().dtype(at::kLong).device(device);
  return at::arange(first_key, first_key + keys, options).unsqueeze(0) <=
         at::arange(first_query, first_query + queries, options).unsqueeze(1);
}

Tensor causal_softmax(const Tensor& scores, double factor, std::int64_t first) { return CausalSoftmax::apply(scores, factor, first); }

Tensor causal_softmax_forward(const Tensor& scores, double factor, std::int64_t first) {
  if (plain(scores)) return rows_of_softmax(scores, factor, first);
  return scores.is_cpu() ? general_causal_softmax(scores, factor, first) : dispatched_causal_softmax(scores, factor, first);
}

Tensor causal_softmax_backward(const Tensor& grad, const Tensor& weights, double factor, std::int64_t first) {
  if (plain(weights)) return rows_of_softmax_backward(grad, weights, factor, first);
  return weights.is_cpu() ? general_causal_softmax_backward(grad, weights, factor, first)
                          : dispatched_causal_softmax_backward(grad, weights, factor, first);
}

Tensor general_causal_softmax(const Tensor& scores, double factor, std::int64_t first) {
  const Tensor mask = visible_keys(first, scores.size(-2), 0, scores.size(-1), scores.device());
  Tensor wide = scores.to(accumulation_type(scores.scalar_type())) * factor;  // a copy: the code below changes it in place
  if (mask.defined()) wide.masked_fill_(mask.logical_not(), -std::numeric_limits<double>::infinity());
  return at::softmax(wide, -1).to(scores.scalar_type());
}

Tensor general_causal_softmax_backward(const Tensor& grad, const Tensor& weights, double factor, std::int64_t /*first*/) {
  const auto wide = accumulation_type(weights.scalar_type());
  return (at::_softmax_backward_data(grad.to(wide), weights.to(wide), -1, wide) * factor).to(weights.scalar_type());
}

}  // namespace yatlab
