#include "core/ops/pairwise.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/autograd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/ops/kernel_choice.h"

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
    throw Error(ErrorKind::kJob, fmt::format("operator {}: the tensors have the wrong type or shape", who), {}, why,
                "x must be [..., B, d], w [..., n, d], bias [n]");
  };
  if (!x.defined() || !w.defined()) fail("x or w is undefined");
  if (x.dim() < 2 || w.dim() < 2 || x.size(-1) != w.size(-1)) {
    fail(fmt::format("x is {}, w is {}", shape_of(x), shape_of(w)));
  }
  if (!x.is_floating_point() || !w.is_floating_point()) {
    fail(fmt::format("x is {}, w is {}", c10::toString(x.scalar_type()), c10::toString(w.scalar_type())));
  }
  const bool own = bias.defined() && bias.dim() == 3 && w.dim() == 3 && bias.size(0) == w.size(0) && bias.size(1) == 1;
  if (bias.defined() && ((bias.dim() != 1 && !own) || bias.size(-1) != w.size(-2))) {
    fail(fmt::format("w is {}, bias is {}", shape_of(w), shape_of(bias)));
  }
}

at::Tensor inner_products(const at::Tensor& x, const at::Tensor& w) {
  const auto type = at::promote_types(x.scalar_type(), w.scalar_type());
  // The CPU has no half precision matrix product.
  if (type == at::kHalf && x.device().is_cpu()) {
    return at::matmul(x.to(at::kFloat), w.to(at::kFloat).transpose(-2, -1)).to(at::kHalf);
  }
  // ATen sums batches of small bf16 matrices in bf16 (LibTorch 1.13: fewer than 400 multiplications each).
  if (type == at::kBFloat16 && x.device().is_cpu() && (x.dim() > 2 || w.dim() > 2) && x.size(-2) * w.size(-2) * x.size(-1) < 400) {
    return at::matmul(x.to(at::kFloat), w.to(at::kFloat).transpose(-2, -1)).to(type);
  }
  return at::matmul(x.to(type), w.to(type).transpose(-2, -1));
}

double close_share(at::ScalarType storage) {
  if (storage == at::kDouble) return 1e-4;
  return storage == at::kFloat ? 0.25 : 0.5;
}

namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kChunk = 1 << 22;  // elements of differences in memory at once

/// Squared distances of single pairs: rows[i] of a [N, d] and units[i] of b [M, d] -> [K]. Saves a, b and the indices.
class PairDistances : public torch::autograd::Function<PairDistances> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& a, const Tensor& b, const Tensor& rows, const Tensor& units) {
    at::AutoDispatchBelowADInplaceOrView below;
    ctx->save_for_backward({a, b, rows, units});
    Tensor out = at::empty({rows.size(0)}, a.options());
    in_chunks(rows.size(0), a.size(1), [&](std::int64_t begin, std::int64_t count) {
      const Tensor gap = gaps(a, b, rows.narrow(0, begin, count), units.narrow(0, begin, count));
      out.narrow(0, begin, count).copy_((gap * gap).sum(1));
    });
    return out;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor &a = saved[0], &b = saved[1], &rows = saved[2], &units = saved[3];
    const Tensor twice = 2 * grads[0].unsqueeze(1);
    if (at::GradMode::is_enabled()) {  // double backward
      const Tensor slope = twice * gaps(a, b, rows, units);
      return {at::zeros_like(a).index_add(0, rows, slope), at::zeros_like(b).index_add(0, units, -slope), Tensor(), Tensor()};
    }
    Tensor a_grad = at::zeros_like(a), b_grad = at::zeros_like(b);
    in_chunks(rows.size(0), a.size(1), [&](std::int64_t begin, std::int64_t count) {
      const Tensor r = rows.narrow(0, begin, count), u = units.narrow(0, begin, count);
      const Tensor slope = twice.narrow(0, begin, count) * gaps(a, b, r, u);
      a_grad.index_add_(0, r, slope);
      b_grad.index_add_(0, u, slope, -1);
    });
    return {a_grad, b_grad, Tensor(), Tensor()};
  }

 private:
  static Tensor gaps(const Tensor& a, const Tensor& b, const Tensor& rows, const Tensor& units) {
    return a.index_select(0, rows) - b.index_select(0, units);
  }
  template <class Do>
  static void in_chunks(std::int64_t pairs, std::int64_t dim, const Do& act) {
    const auto most = std::max<std::int64_t>(1, kChunk / std::max<std::int64_t>(1, dim));
    for (std::int64_t begin = 0; begin < pairs; begin += most) act(begin, std::min(most, pairs - begin));
  }
};

/// [..., rows, d] with these leading dimensions -> [all rows, d]
Tensor as_rows(const Tensor& t, at::IntArrayRef leading) {
  auto shape = leading.vec();
  shape.insert(shape.end(), {t.size(-2), t.size(-1)});
  return t.expand(shape).reshape({-1, t.size(-1)});
}

/// See `squared_distances`. Where squares overflow: undefined if `undefined_on_overflow`, else the non-finite result.
Tensor exact_distances(const Tensor& x, const Tensor& w, const Tensor& dot, double epsilon, bool undefined_on_overflow) {
  const auto type = accumulation_type(at::promote_types(x.scalar_type(), w.scalar_type()));
  const Tensor a = x.to(type), b = w.to(type);
  const Tensor a_squared = (a * a).sum(-1, true), b_squared = (b * b).sum(-1).unsqueeze(-2), norms = a_squared + b_squared;
  const Tensor raw = norms - 2 * dot.to(type);
  Tensor close, lifted;
  {
    const at::NoGradGuard no_grad;
    const Tensor near = raw + epsilon, share = norms * close_share(dot.scalar_type());
    // Not "smaller", so that overflowing norms match too, without a second read from the device.
    close = (near > share).logical_not_().flatten(0, -2).nonzero();
    if (close.size(0) > 0) {
      const double most = (a_squared.max() + b_squared.max()).item<double>();
      if (undefined_on_overflow && std::isinf(most)) return {};
      if (!std::isfinite(most)) close = (near < share).flatten(0, -2).nonzero();  // NaN is not close
    }
    lifted = raw.clamp_min(0) - raw;
  }
  // Values that rounding took below 0 are clamped but keep their gradient.
  const Tensor distances = raw + lifted;
  if (close.size(0) == 0 || a.size(-1) == 0) return distances;
  const auto leading = raw.sizes().slice(0, static_cast<std::size_t>(raw.dim()) - 2);
  const Tensor rows = close.select(1, 0), column = close.select(1, 1);
  // A set of units shared by all rows is not repeated.
  const bool shared = w.dim() == 2;
  const Tensor units = shared ? column : rows.div(raw.size(-2), "floor") * raw.size(-1) + column;
  const Tensor exact = PairDistances::apply(as_rows(a, leading), shared ? b : as_rows(b, leading), rows, units);
  return distances.reshape({-1}).index_put({rows * raw.size(-1) + column}, exact).view(raw.sizes());
}

}  // namespace

at::Tensor squared_distances(const at::Tensor& x, const at::Tensor& w, double epsilon) {
  const auto type = accumulation_type(at::promote_types(x.scalar_type(), w.scalar_type()));
  const Tensor a = x.to(type), b = w.to(type), distances = squared_distances(a, b, inner_products(a, b), epsilon);
  if (distances.defined()) return distances;
  const Tensor wide_a = wider(a, b, "squared distances"), wide_b = wider(b, a, "squared distances");
  return exact_distances(wide_a, wide_b, inner_products(wide_a, wide_b), epsilon, false);
}

at::Tensor squared_distances(const at::Tensor& x, const at::Tensor& w, const at::Tensor& dot, double epsilon) {
  return exact_distances(x, w, dot, epsilon, true);
}

at::Tensor wider(const at::Tensor& rows, const at::Tensor& others, const char* who) {
  if (rows.scalar_type() != at::kDouble) return rows.to(at::kDouble);
  if (at::isfinite(rows).all().item<bool>() && at::isfinite(others).all().item<bool>()) {
    throw Error(ErrorKind::kJob, fmt::format("{} of rows this long cannot be computed", who), {},
                "the square of a length above 9e153 overflows, even in double", "scale down the data or the weights");
  }
  return rows;
}

at::Tensor unit_rows(const at::Tensor& rows, double floor) {
  const Tensor r = rows.to(accumulation_type(rows.scalar_type()));
  if (r.numel() == 0) return r;
  if (use_cpu_kernel(r)) {
    const Tensor lengths = at::norm(r, 2, {-1}, true);
    const auto [least, most] = at::aminmax(lengths.detach());
    constexpr double kShort = 1e-15;  // float cannot hold the squares of shorter rows
    const bool held =
        std::isfinite(most.item<double>()) && (floor >= kShort || r.scalar_type() == at::kDouble || least.item<double>() >= kShort);
    if (held) return r / lengths.clamp_min(floor);
  }
  // Rows whose squares overflow even double are first scaled down by a power of two.
  const Tensor wide = r.to(at::kDouble), held = at::norm(wide.detach(), 2, {-1}, true).isfinite();
  const Tensor lowered = wide * at::where(held, at::ones({}, wide.options()), at::full({}, std::ldexp(1.0, -540), wide.options()));
  return (lowered / at::norm(lowered, 2, {-1}, true).clamp_min(floor)).to(r.scalar_type());
}

at::Tensor row_products(const std::vector<at::Tensor>& factors) {
  at::Tensor out = factors.at(0);
  for (std::size_t i = 1; i < factors.size(); ++i) out = (out.unsqueeze(-1) * factors[i].unsqueeze(-2)).flatten(-2);
  return out;
}

at::Tensor add_bias(const at::Tensor& scores, const at::Tensor& bias, at::ScalarType like) {
  if (!bias.defined()) return scores.to(like);
  return (scores + bias.to(scores.scalar_type())).to(like);
}

}  // namespace yatlab
