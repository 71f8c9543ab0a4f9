#include "core/ops/torch_operators.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include "core/ops/causal_softmax.h"
#include "core/ops/yat_general.h"

namespace yatlab {
namespace {

using at::Tensor;
using Optional = c10::optional<Tensor>;

YatOptions options_of(const Optional& bias, const Optional& epsilon, const Optional& scale, bool bias_after, double fixed_epsilon) {
  return yat_options(bias.value_or(Tensor()), epsilon.value_or(Tensor()), scale.value_or(Tensor()), bias_after, fixed_epsilon);
}

Tensor yat_on_cpu(const Tensor& x, const Tensor& w, const Optional& bias, const Optional& epsilon, const Optional& scale, bool bias_after,
                  double fixed_epsilon) {
  return yat(x, w, options_of(bias, epsilon, scale, bias_after, fixed_epsilon));
}

Tensor yat_elsewhere(const Tensor& x, const Tensor& w, const Optional& bias, const Optional& epsilon, const Optional& scale,
                     bool bias_after, double fixed_epsilon) {
  return yat_general(x, w, options_of(bias, epsilon, scale, bias_after, fixed_epsilon));
}

template <class Signature>
c10::TypedOperatorHandle<Signature> found(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

}  // namespace

TORCH_LIBRARY(yatlab, m) {
  m.def("yat(Tensor x, Tensor w, Tensor? bias, Tensor? learned_epsilon, Tensor? scale, bool bias_after, float epsilon) -> Tensor");
  m.def("causal_softmax(Tensor scores, float factor, int first) -> Tensor");
  m.def("causal_softmax_backward(Tensor grad, Tensor weights, float factor, int first) -> Tensor");
  m.impl("yat", c10::DispatchKey::CompositeImplicitAutograd, yat_elsewhere);
  m.impl("causal_softmax", c10::DispatchKey::CompositeExplicitAutograd, general_causal_softmax);
  m.impl("causal_softmax_backward", c10::DispatchKey::CompositeExplicitAutograd, general_causal_softmax_backward);
}

TORCH_LIBRARY_IMPL(yatlab, CPU, m) {
  m.impl("yat", yat_on_cpu);
  m.impl("causal_softmax", causal_softmax_forward);
  m.impl("causal_softmax_backward", causal_softmax_backward);
}

TORCH_LIBRARY_IMPL(yatlab, AutogradCPU, m) { m.impl("yat", yat_on_cpu); }

Tensor dispatched_yat(const Tensor& x, const Tensor& w, const YatOptions& o) {
  static const auto op =
      found<Tensor(const Tensor&, const Tensor&, const Optional&, const Optional&, const Optional&, bool, double)>("yatlab::yat");
  const auto some = [](const Tensor& t) { return t.defined() ? Optional(t) : c10::nullopt; };
  return op.call(x, w, some(o.bias), some(o.learned_epsilon), some(o.scale), o.bias_place == BiasPlace::kAfter, o.epsilon);
}

Tensor dispatched_causal_softmax(const Tensor& scores, double factor, std::int64_t first) {
  static const auto op = found<Tensor(const Tensor&, double, std::int64_t)>("yatlab::causal_softmax");
  return op.call(scores, factor, first);
}

Tensor dispatched_causal_softmax_backward(const Tensor& grad, const Tensor& weights, double factor, std::int64_t first) {
  static const auto op = found<Tensor(const Tensor&, const Tensor&, double, std::int64_t)>("yatlab::causal_softmax_backward");
  return op.call(grad, weights, factor, first);
}

bool has_kernels_for(c10::DispatchKey key) {
  return c10::Dispatcher::singleton().findSchemaOrThrow("yatlab::yat", "").hasKernelForDispatchKey(key);
}

}  // namespace yatlab
