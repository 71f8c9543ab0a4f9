#include "core/model/precision.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/ops/addmm_cpu_dispatch.h>
#include <ATen/ops/baddbmm_cpu_dispatch.h>
#include <ATen/ops/bmm_cpu_dispatch.h>
#include <ATen/ops/mm_cpu_dispatch.h>
#include <c10/util/Exception.h>
#include <torch/library.h>
#include <torch/version.h>

#include "core/ops/softmax_rows.h"
#include "core/system/cpu.h"

namespace yatlab {
namespace {

using at::Scalar;
using at::Tensor;

#if TORCH_VERSION_MAJOR >= 2
using c10::WarningUtils::WarningHandlerGuard;
#else
using c10::Warning::WarningHandlerGuard;
#endif

template <class... Tensors>
bool in_bfloat16(const Tensors&... all) {
  return ((all.scalar_type() == at::kBFloat16) && ...);
}

/// Calls convert_part(from, n, to) for parts of two tensors with the same strides.
template <class From, class To>
void convert(const Tensor& from, const Tensor& to, void (*convert_part)(const From*, std::int64_t, To*)) {
  const auto* in = static_cast<const From*>(from.data_ptr());
  auto* out = static_cast<To*>(to.data_ptr());
  at::parallel_for(0, from.numel(), 1 << 15,
                   [&](std::int64_t begin, std::int64_t end) { convert_part(in + begin, end - begin, out + begin); });
}
Tensor wide(const Tensor& t) {
  if (!t.is_non_overlapping_and_dense()) return t.to(at::kFloat);
  const Tensor out = at::empty_like(t, t.options().dtype(at::kFloat));
  convert<std::uint16_t, float>(t, out, kernel::widen);
  return out;
}
Tensor& set(Tensor& out, const Tensor& value) {
  out.resize_(value.sizes());
  if (out.strides() != value.strides() || !out.is_non_overlapping_and_dense()) return out.copy_(value);
  convert<float, std::uint16_t>(value, out, kernel::narrow);
  return out;
}
Tensor narrow(const Tensor& t) {
  Tensor out = at::empty_like(t, t.options().dtype(at::kBFloat16));
  return set(out, t);
}

/// LibTorch's kernels of a product. Of bfloat16 matrices it is computed in float32.
template <Tensor (*kOwn)(const Tensor&, const Tensor&), Tensor& (*kInto)(const Tensor&, const Tensor&, Tensor&)>
struct Product {
  static Tensor made(const Tensor& a, const Tensor& b) { return in_bfloat16(a, b) ? narrow(kOwn(wide(a), wide(b))) : kOwn(a, b); }
  static Tensor& into(const Tensor& a, const Tensor& b, Tensor& out) {
    return in_bfloat16(a, b, out) ? set(out, kOwn(wide(a), wide(b))) : kInto(a, b, out);
  }
};

/// The same of beta c + alpha a b.
template <Tensor (*kOwn)(const Tensor&, const Tensor&, const Tensor&, const Scalar&, const Scalar&),
          Tensor& (*kInto)(const Tensor&, const Tensor&, const Tensor&, const Scalar&, const Scalar&, Tensor&),
          Tensor& (*kAdd)(Tensor&, const Tensor&, const Tensor&, const Scalar&, const Scalar&)>
struct Sum {
  static Tensor made(const Tensor& c, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
    if (!in_bfloat16(c, a, b)) return kOwn(c, a, b, beta, alpha);
    return narrow(kOwn(wide(c), wide(a), wide(b), beta, alpha));
  }
  static Tensor& into(const Tensor& c, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha, Tensor& out) {
    if (!in_bfloat16(c, a, b, out)) return kInto(c, a, b, beta, alpha, out);
    return set(out, kOwn(wide(c), wide(a), wide(b), beta, alpha));
  }
  static Tensor& add(Tensor& c, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
    if (!in_bfloat16(c, a, b)) return kAdd(c, a, b, beta, alpha);
    const Tensor sum = kOwn(wide(c), wide(a), wide(b), beta, alpha);
    return sum.sizes() == c.sizes() ? set(c, sum) : kAdd(c, a, b, beta, alpha);  // which refuses to add to a smaller matrix
  }
};

/// LibTorch warns of replaced kernels.
struct Quiet : c10::WarningHandler {
#if TORCH_VERSION_MAJOR >= 2
  void process(const c10::Warning&) override {}
#else
  void process(const c10::SourceLocation&, const std::string&, bool) override {}
#endif
};

using Mm = Product<at::cpu::mm, at::cpu::mm_outf>;
using Bmm = Product<at::cpu::bmm, at::cpu::bmm_outf>;
using Addmm = Sum<at::cpu::addmm, at::cpu::addmm_outf, at::cpu::addmm_>;
using Baddbmm = Sum<at::cpu::baddbmm, at::cpu::baddbmm_outf, at::cpu::baddbmm_>;

/// Done while the libraries load, before any thread computes.
torch::Library* products_in_float32() {
  if (CpuFlags::here().fast_bfloat16()) return nullptr;
  Quiet quiet;
  const WarningHandlerGuard guard(&quiet);
  auto* out = new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::CPU, __FILE__, __LINE__);
  out->impl("mm", Mm::made).impl("mm.out", Mm::into).impl("bmm", Bmm::made).impl("bmm.out", Bmm::into);
  out->impl("addmm", Addmm::made).impl("addmm.out", Addmm::into).impl("addmm_", Addmm::add);
  out->impl("baddbmm", Baddbmm::made).impl("baddbmm.out", Baddbmm::into).impl("baddbmm_", Baddbmm::add);
  return out;
}

const torch::Library* const kProducts = products_in_float32();

}  // namespace
}  // namespace yatlab
