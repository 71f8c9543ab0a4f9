// The yat product on CUDA devices: our kernels around cuBLAS's products, registered as the CUDA kernel of yatlab::yat.
#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/autograd.h>
#include <torch/library.h>

#include <limits>
#include <vector>

#include "core/ops/cuda/yat_kernel_cuda.h"
#include "core/ops/kernel_choice.h"
#include "core/ops/kernel_types.h"
#include "core/ops/pairwise.h"
#include "core/ops/yat_general.h"

namespace yatlab {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Optional = c10::optional<Tensor>;

/// x [L, B, d] and w [L, n, d], or x [B, d] and w [n, d], contiguous, on a CUDA device.
template <class Element>
struct Problem {
  using T = typename KernelType<Element>::type;
  using A = kernel::Acc<T>;

  Problem(const Tensor& x_in, const Tensor& w_in, const Tensor& dot, const YatOptions& o) : x(x_in), w(w_in) {
    layers.x = data(x);
    layers.w = data(w);
    layers.dot = data(dot);
    layers.layers = x.dim() == 3 ? x.size(0) : 1;
    layers.batch = x.size(-2);
    layers.units = w.size(-2);
    layers.dim = x.size(-1);
    x_norm = norms(x);
    w_norm = norms(w);
    layers.x_norm = sums(x_norm);
    layers.w_norm = sums(w_norm);
    const bool after = o.bias_place == BiasPlace::kAfter;
    layers.inner = per_unit(after ? Tensor() : o.bias, 0);
    layers.outer = per_unit(after ? o.bias : Tensor(), 0);
    layers.epsilon = per_unit(o.learned_epsilon, o.epsilon);
    layers.scale = per_unit(o.scale, 1);
  }

  static T* data(const Tensor& t) { return static_cast<T*>(t.data_ptr()); }
  static A* sums(const Tensor& t) { return t.defined() ? static_cast<A*>(t.data_ptr()) : nullptr; }

  Tensor norms(const Tensor& rows) const {
    const Tensor out = at::empty({rows.numel() / layers.dim}, sum_options());
    C10_CUDA_CHECK(kernel::cuda_squared_norms(data(rows), out.numel(), layers.dim, sums(out), stream()));
    return out;
  }

  at::TensorOptions sum_options() const { return x.options().dtype(c10::CppTypeToScalarType<A>::value); }
  cudaStream_t stream() const { return c10::cuda::getCurrentCUDAStream(x.device().index()); }

  Tensor x, w, x_norm, w_norm;
  kernel::YatLayers<T> layers;

 private:
  kernel::PerUnit<A> per_unit(const Tensor& t, double otherwise) {
    kernel::PerUnit<A> out;
    out.otherwise = static_cast<A>(otherwise);
    if (!t.defined()) return out;
    kept.push_back(t.detach().to(sum_options()).contiguous());
    out.values = sums(kept.back());
    out.per_unit = t.numel() == 1 ? 0 : 1;
    out.per_layer = t.numel() > layers.units ? layers.units : 0;
    return out;
  }
  std::vector<Tensor> kept;  // keeps the kernels' inputs alive
};

/// Whether the kernels support this tensor for scores of these layers and units: one number, one per unit, or one per unit of every layer.
bool fits(const Tensor& t, std::int64_t layers, std::int64_t units) {
  return !t.defined() || t.numel() == 1 || (t.size(-1) == units && (t.numel() == units || (t.dim() == 3 && t.numel() == layers * units)));
}

/// y and the products that the backward pass needs; y takes their place when `keep` is false.
std::pair<Tensor, Tensor> forward_pass(const Tensor& x, const Tensor& w, const YatOptions& o, bool keep) {
  const Tensor dot = inner_products(x, w), y = keep ? at::empty_like(dot) : dot;
  AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, x.scalar_type(), "yat", [&] {
    using P = Problem<scalar_t>;
    const P problem(x, w, dot, o);
    C10_CUDA_CHECK(kernel::cuda_yat_forward(problem.layers, P::data(y), problem.stream()));
  });
  return {y, dot};
}

struct Needed {
  bool x, w, bias, epsilon, scale;
};
struct Gradients {
  Tensor x, w, bias, epsilon, scale;  // the last three [L, n]
};

Gradients backward_pass(const Tensor& grad_in, const Tensor& x, const Tensor& w, const Tensor& dot, const YatOptions& o,
                        const Needed& need) {
  Gradients out;
  const Tensor grad = grad_in.contiguous();
  AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, x.scalar_type(), "yat_backward", [&] {
    using P = Problem<scalar_t>;
    const P problem(x, w, dot, o);
    const auto& in = problem.layers;
    const auto options = problem.sum_options();
    const auto parts = [&](bool needed) {
      return needed ? at::empty({in.layers, kernel::yat_row_parts(in.batch), in.units}, options) : Tensor();
    };
    const Tensor dot_grad = at::empty_like(dot), x_distance = at::empty({in.layers, in.batch, kernel::yat_unit_parts(in.units)}, options);
    const Tensor w_distance = parts(true), bias = parts(need.bias), epsilon = parts(need.epsilon), scale = parts(need.scale);
    const Tensor x_close = need.x ? at::zeros(x.sizes(), options) : Tensor(), w_close = need.w ? at::zeros(w.sizes(), options) : Tensor();
    kernel::YatLayerGradients<typename P::T> g;
    g.dot = P::data(dot_grad);
    g.x_distance = P::sums(x_distance);
    g.w_distance = P::sums(w_distance);
    g.bias = P::sums(bias);
    g.epsilon = P::sums(epsilon);
    g.scale = P::sums(scale);
    g.x_close = P::sums(x_close);
    g.w_close = P::sums(w_close);
    C10_CUDA_CHECK(kernel::cuda_yat_backward(in, P::data(grad), o.bias_place == BiasPlace::kAfter, g, problem.stream()));

    // 2 factor rows + more, then + a.b: the part outside the matrix product, then the product.
    const auto gradient = [&](const Tensor& rows, const Tensor& factor, const Tensor& more, const Tensor& a, const Tensor& b) {
      Tensor sum = at::empty_like(rows);
      C10_CUDA_CHECK(kernel::cuda_scale_rows(P::data(rows), P::sums(factor), P::sums(more), rows.numel() / in.dim, in.dim, P::data(sum),
                                             problem.stream()));
      return rows.dim() == 2 ? sum.addmm_(a, b) : sum.baddbmm_(a, b);
    };
    if (need.x) out.x = gradient(problem.x, x_distance.sum(-1), x_close, dot_grad, problem.w);
    if (need.w) out.w = gradient(problem.w, w_distance.sum(1), w_close, dot_grad.transpose(-2, -1), problem.x);
    const auto summed = [](const Tensor& t) { return t.defined() ? t.sum(1) : t; };
    out.bias = summed(bias);
    out.epsilon = summed(epsilon);
    out.scale = summed(scale);
  });
  return out;
}

class CudaYat : public torch::autograd::Function<CudaYat> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& epsilon,
                        const Tensor& scale, bool after, double fixed_epsilon) {
    at::AutoDispatchBelowADInplaceOrView below;
    const YatOptions o =
        yat_options(from_autograd_argument(bias), from_autograd_argument(epsilon), from_autograd_argument(scale), after, fixed_epsilon);
    auto [y, dot] = forward_pass(w.dim() == 2 ? all_rows(x) : x, w, o, true);
    ctx->save_for_backward({x, w, o.bias, o.learned_epsilon, o.scale, dot});
    ctx->saved_data["after"] = after;
    ctx->saved_data["epsilon"] = fixed_epsilon;
    if (x.dim() == y.dim()) return y;
    auto shape = x.sizes().vec();
    shape.back() = w.size(-2);
    return y.view(shape);
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor &x = saved[0], &w = saved[1], &bias = saved[2], &epsilon = saved[3], &scale = saved[4];
    const bool after = ctx->saved_data["after"].toBool();
    const double fixed_epsilon = ctx->saved_data["epsilon"].toDouble();
    if (at::GradMode::is_enabled()) {
      auto out = differentiable_yat_gradients(ctx, grads[0], saved, after, fixed_epsilon);
      out.resize(7);
      return out;
    }
    const c10::cuda::CUDAGuard device(x.device());
    at::AutoDispatchBelowADInplaceOrView below;
    const bool whole = w.dim() == 2;
    const auto wanted = [&](std::size_t i) { return saved[i].defined() && ctx->needs_input_grad(i); };
    const auto g =
        backward_pass(whole ? all_rows(grads[0]) : grads[0], whole ? all_rows(x) : x, w, saved[5],
                      yat_options(bias, epsilon, scale, after, fixed_epsilon), {wanted(0), wanted(1), wanted(2), wanted(3), wanted(4)});
    // [L, n] -> as many numbers as the input has
    const auto numbers = [](const Tensor& sums, const Tensor& input) {
      if (!sums.defined()) return Tensor();
      if (input.numel() == 1) return gradient_like(sums.sum(at::kDouble), input);
      return gradient_like(input.numel() == sums.numel() ? sums : sums.sum(0), input);
    };
    return {gradient_like(g.x, x),
            gradient_like(g.w, w),
            numbers(g.bias, bias),
            numbers(g.epsilon, epsilon),
            numbers(g.scale, scale),
            Tensor(),
            Tensor()};
  }
};

Tensor yat_on_cuda(const Tensor& x_in, const Tensor& w_in, const Optional& bias, const Optional& epsilon, const Optional& scale,
                   bool bias_after, double fixed_epsilon) {
  const YatOptions o =
      yat_options(bias.value_or(Tensor()), epsilon.value_or(Tensor()), scale.value_or(Tensor()), bias_after, fixed_epsilon);
  check_pairwise(x_in, w_in, o.bias, "yat");
  if (x_in.scalar_type() == at::kHalf) {
    const auto units = w_in.to(at::kHalf).to(at::kFloat);
    return yat_on_cuda(x_in.to(at::kFloat), units, bias, epsilon, scale, bias_after, fixed_epsilon).to(at::kHalf);
  }
  // Autocast must not round tensors that the kernels expect in the type of x.
  c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  auto [x, w, shape] = yat_matrices(x_in, w_in.to(x_in.scalar_type()));
  const std::int64_t layers = w.dim() == 3 ? w.size(0) : 1, units = w.size(-2);
  const bool taken = fits(o.bias, layers, units) && fits(o.learned_epsilon, layers, units) && fits(o.scale, layers, units);
  if (!taken || x.numel() == 0 || w.numel() == 0 || generic_kernels_forced()) return yat_general(x_in, w_in, o);
  const c10::cuda::CUDAGuard device(x.device());
  // For views of a larger tensor, such as queries and keys, do not save all of that tensor.
  x = x.contiguous();
  w = w.contiguous();
  const Tensor y = yat_is_differentiated(x, w, o)
                       ? CudaYat::apply(x, w, to_autograd_argument(o.bias), to_autograd_argument(o.learned_epsilon),
                                        to_autograd_argument(o.scale), bias_after, fixed_epsilon)
                       : forward_pass(w.dim() == 2 ? all_rows(x) : x, w, o, false).first;
  return y.sizes() == shape ? y : y.view(shape);
}

}  // namespace

TORCH_LIBRARY_IMPL(yatlab, CUDA, m) { m.impl("yat", yat_on_cuda); }
TORCH_LIBRARY_IMPL(yatlab, AutogradCUDA, m) { m.impl("yat", yat_on_cuda); }

}  // namespace yatlab
