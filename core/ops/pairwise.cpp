#include "core/ops/pairwise.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/error.h"

namespace yatlab {

at::ScalarType accumulation_type(at::ScalarType storage) { return storage == at::kBFloat16 || storage == at::kHalf ? at::kFloat : storage; }

namespace {

std::string shape_of(const at::Tensor& t) {
  std::string text;
  for (const auto size : t.sizes()) text += fmt::format("{}{}", text.empty() ? "" : ", ", size);
  return "[" + text + "]";
}

}  // namespace

void check_pairwise(const at::Tensor& x, const at::Tensor& w, const at::Tensor& bias, const char* who) {
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::kJob, fmt::format("operator {} cannot take these tensors", who), {}, why,
                "x must be [..., B, d], w [..., n, d], bias [n]");
  };
  if (!x.defined() || !w.defined()) fail("x or w is undefined");
  if (x.dim() < 2 || w.dim() < 2 || x.size(-1) != w.size(-1)) {
    fail(fmt::format("x is {}, w is {}", shape_of(x), shape_of(w)));
  }
  if (!x.is_floating_point() || !w.is_floating_point()) {
    fail(fmt::format("x is {}, w is {}", c10::toString(x.scalar_type()), c10::toString(w.scalar_type())));
  }
  if (bias.defined() && (bias.dim() != 1 || bias.size(0) != w.size(-2))) {
    fail(fmt::format("w is {}, bias is {}", shape_of(w), shape_of(bias)));
  }
}

at::Tensor inner_products(const at::Tensor& x, const at::Tensor& w) {
  const auto type = at::promote_types(x.scalar_type(), w.scalar_type());
  // The CPU has no half precision matrix product.
  if (type == at::kHalf && x.device().is_cpu()) {
    return at::matmul(x.to(at::kFloat), w.to(at::kFloat).transpose(-2, -1)).to(at::kHalf);
  }
  // ATen's batches of small bf16 matrices are summed in bf16 (LibTorch 1.13: fewer than 400 multiplications each).
  if (type == at::kBFloat16 && x.device().is_cpu() && (x.dim() > 2 || w.dim() > 2) && x.size(-2) * w.size(-2) * x.size(-1) < 400) {
    return at::matmul(x.to(at::kFloat), w.to(at::kFloat).transpose(-2, -1)).to(type);
  }
  return at::matmul(x.to(type), w.to(type).transpose(-2, -1));
}

at::Tensor squared_distances(const at::Tensor& x, const at::Tensor& w) {
  const auto type = accumulation_type(at::promote_types(x.scalar_type(), w.scalar_type()));
  const auto a = x.to(type);
  const auto b = w.to(type);
  const auto norms = (a * a).sum(-1, true) + (b * b).sum(-1).unsqueeze(-2);
  const auto raw = norms - 2 * inner_products(a, b);
  return at::where(raw > 0, raw, at::zeros({}, raw.options()));
}

at::Tensor add_bias(const at::Tensor& scores, const at::Tensor& bias, at::ScalarType like) {
  if (!bias.defined()) return scores.to(like);
  return (scores + bias.to(scores.scalar_type())).to(like);
}

}  // namespace yatlab
