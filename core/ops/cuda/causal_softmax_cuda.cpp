// The causal softmax on CUDA devices: registers our kernels for yatlab::causal_softmax and its backward pass.
#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include "core/ops/causal_softmax.h"
#include "core/ops/cuda/causal_softmax_kernel_cuda.h"
#include "core/ops/kernel_choice.h"
#include "core/ops/kernel_types.h"

namespace yatlab {
namespace {

using at::Tensor;

/// Whether the kernels support this tensor.
bool plain(const Tensor& t) { return t.scalar_type() != at::kHalf && t.numel() > 0 && !generic_kernels_forced(); }

template <class Element>
using KernelOf = typename KernelType<Element>::type;
template <class Element>
KernelOf<Element>* data(const Tensor& t) {
  return static_cast<KernelOf<Element>*>(t.data_ptr());
}

Tensor softmax_on_cuda(const Tensor& given, double factor, std::int64_t first) {
  if (!plain(given)) return general_causal_softmax(given, factor, first);
  const c10::cuda::CUDAGuard device(given.device());
  const Tensor scores = given.contiguous(), out = at::empty_like(scores);
  const std::int64_t columns = scores.size(-1);
  AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, scores.scalar_type(), "causal_softmax", [&] {
    using T = KernelOf<scalar_t>;
    C10_CUDA_CHECK(kernel::cuda_causal_softmax<T>(data<scalar_t>(scores), scores.numel() / columns, scores.size(-2), columns, first,
                                                  static_cast<kernel::Acc<T>>(factor), data<scalar_t>(out),
                                                  c10::cuda::getCurrentCUDAStream()));
  });
  return out;
}

Tensor softmax_backward_on_cuda(const Tensor& given_grad, const Tensor& given_weights, double factor, std::int64_t first) {
  if (!plain(given_weights)) return general_causal_softmax_backward(given_grad, given_weights, factor, first);
  const c10::cuda::CUDAGuard device(given_weights.device());
  const Tensor weights = given_weights.contiguous(), grad = given_grad.to(weights.scalar_type()).contiguous(),
               out = at::empty_like(weights);
  const std::int64_t columns = weights.size(-1);
  AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, weights.scalar_type(), "causal_softmax_backward", [&] {
    using T = KernelOf<scalar_t>;
    C10_CUDA_CHECK(kernel::cuda_causal_softmax_backward<T>(data<scalar_t>(weights), data<scalar_t>(grad), weights.numel() / columns,
                                                           weights.size(-2), columns, first, static_cast<kernel::Acc<T>>(factor),
                                                           data<scalar_t>(out), c10::cuda::getCurrentCUDAStream()));
  });
  return out;
}

}  // namespace

TORCH_LIBRARY_IMPL(yatlab, CUDA, m) {
  m.impl("causal_softmax", softmax_on_cuda);
  m.impl("causal_softmax_backward", softmax_backward_on_cuda);
}

}  // namespace yatlab
