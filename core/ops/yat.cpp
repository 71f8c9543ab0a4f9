#include "core/ops/yat.h"

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/ExpandUtils.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/ops/kernel_choice.h"
#include "core/ops/kernel_types.h"
#include "core/ops/pairwise.h"
#include "core/ops/torch_operators.h"
#include "core/ops/yat_general.h"
#include "core/ops/yat_kernel.h"

namespace yatlab {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kGrain = 1 << 17;    // elements worth a thread: waking it takes as long as tens of thousands
constexpr std::int64_t kBlockSize = 16384;  // elements worth a block of sums
// Rows are summed in this many blocks per matrix, so that results do not depend on the number of threads. They depend on the instruction set and the
// BLAS library.
constexpr std::int64_t kBlocks = 16;

/// The squared norms of the rows of x and w in one problem.
struct Norms {
  Tensor x, w;
};

/// The inputs of the formula other than x, w and the bias values.
struct Extras {
  bool after = false;
  double fixed_epsilon = 0;
  Tensor epsilon, scale;  // one element, one per unit, or undefined

  bool per_unit() const { return (epsilon.defined() && epsilon.numel() != 1) || (scale.defined() && scale.numel() != 1); }
  double epsilon_or(double otherwise) const { return per_unit() ? otherwise : epsilon.defined() ? epsilon.item<double>() : fixed_epsilon; }
  double scale_or(double otherwise) const { return per_unit() || !scale.defined() ? otherwise : scale.item<double>(); }
};

/// One problem in the form that the kernels take: x [L, B, d] and w [L, n, d], or x [B, d] and w [n, d], contiguous, and the norms of all rows and
/// units.
template <class Element>
struct Problem {
  using T = typename KernelType<Element>::type;
  using A = kernel::Acc<T>;

  Problem(const Tensor& x_in, const Tensor& w_in, const Norms& norms, const Tensor& bias, const Extras& extras)
      : x(x_in.contiguous()),
        w(w_in.contiguous()),
        x_norm(norms.x),
        w_norm(norms.w),
        epsilon(extras.epsilon_or(0)),
        scale(extras.scale_or(1)) {
    if (bias.defined()) (extras.after ? outer : inner) = in_sums(bias);
    bias_per_layer = bias.defined() && bias.dim() == 3;
    if (!extras.per_unit()) return;
    const std::vector<std::int64_t> all = {w.numel() > 0 ? w.numel() / dim() : 0};
    const auto spread = [&](const Tensor& t, double otherwise) {
      if (!t.defined()) return at::full(all, otherwise, x_norm.options());
      const Tensor values = in_sums(t).reshape({-1});
      if (values.numel() == all[0]) return values;
      return values.numel() == 1 ? values.expand(all).contiguous() : values.repeat({layers()});
    };
    epsilons = spread(extras.epsilon, extras.fixed_epsilon).clamp_min(std::numeric_limits<A>::min());
    scales = spread(extras.scale, 1);
  }
  Tensor in_sums(const Tensor& t) const {
    const auto options = x_norm.options();
    return t.scalar_type() == options.dtype() && t.is_contiguous() ? t : t.detach().to(options).contiguous();
  }

  std::int64_t layers() const { return x.dim() == 3 ? x.size(0) : 1; }
  std::int64_t batch() const { return x.size(-2); }
  std::int64_t units() const { return w.size(-2); }
  std::int64_t dim() const { return x.size(-1); }

  static T* data(const Tensor& t) { return static_cast<T*>(t.data_ptr()); }
  static A* sums(const Tensor& t) { return t.defined() ? static_cast<A*>(t.data_ptr()) : nullptr; }

  /// Rows [first, first + count) of layer l; dot: [L, B, n].
  kernel::YatRows<T> rows(const Tensor& dot, std::int64_t l, std::int64_t first, std::int64_t count) const {
    const std::int64_t row = l * batch() + first;
    kernel::YatRows<T> r;
    r.x = data(x) + row * dim();
    r.w = data(w) + l * units() * dim();
    r.dot = data(dot) + row * units();
    r.x_norm = sums(x_norm) + row;
    r.w_norm = sums(w_norm) + l * units();
    const std::int64_t bias_at = bias_per_layer ? l * units() : 0;
    r.inner = inner.defined() ? sums(inner) + bias_at : nullptr;
    r.outer = outer.defined() ? sums(outer) + bias_at : nullptr;
    if (epsilons.defined()) {
      r.epsilons = sums(epsilons) + l * units();
      r.scales = sums(scales) + l * units();
    }
    r.epsilon = std::max(static_cast<A>(epsilon), std::numeric_limits<A>::min());  // a smaller one might be 0 in A
    r.scale = static_cast<A>(scale);
    r.rows = count;
    r.units = units();
    r.dim = dim();
    return r;
  }

  static Tensor norms(const Tensor& given) {
    const Tensor matrix = given.contiguous();
    const std::int64_t width = matrix.size(-1);
    std::int64_t rows = 1;
    for (const auto size : matrix.sizes().slice(0, static_cast<std::size_t>(matrix.dim()) - 1)) rows *= size;
    const Tensor out = at::empty({rows}, matrix.options().dtype(c10::CppTypeToScalarType<A>::value));
    at::parallel_for(0, out.numel(), grain(width), [&](std::int64_t begin, std::int64_t end) {
      kernel::squared_norms<T>(data(matrix) + begin * width, end - begin, width, sums(out) + begin);
    });
    return out;
  }
  /// Whether some norms are so large that their sums, or the products, may overflow.
  static bool too_large(const Tensor& norms) {
    constexpr A most = std::numeric_limits<A>::max() / 2;
    const A* values = sums(norms);
    bool some = false;
    for (std::int64_t i = 0; i < norms.numel(); ++i) some |= values[i] > most;
    return some;
  }
  static std::int64_t grain(std::int64_t width) { return std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, width)); }

  Tensor x, w, x_norm, w_norm, inner, outer;
  Tensor epsilons, scales;  // for the units of all layers, if each has its own
  bool bias_per_layer = false;
  double epsilon, scale;
};

Norms norms_of(const Tensor& x, const Tensor& w) {
  at::AutoDispatchBelowADInplaceOrView below;
  Norms out;
  AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, x.scalar_type(), "yat_norms", [&] {
    out = {Problem<scalar_t>::norms(x), Problem<scalar_t>::norms(w)};
  });
  return out;
}

bool too_large(const Norms& norms) {
  bool out = false;
  AT_DISPATCH_FLOATING_TYPES(norms.x.scalar_type(), "yat_norms",
                             [&] { out = Problem<scalar_t>::too_large(norms.x) || Problem<scalar_t>::too_large(norms.w); });
  return out;
}

/// [L, B, d] x [L, n, d] -> [L, B, n], or without L.
Tensor products(const Tensor& x, const Tensor& w) {
  if (x.dim() == 2) return at::mm(x, w.t());
  return inner_products(x, w);  // sums small bf16 matrices in float
}

/// y and the products that the backward pass needs; y overwrites them when `keep` is false.
std::pair<Tensor, Tensor> forward_pass(const Tensor& x, const Tensor& w, const Norms& norms, const Tensor& bias, const Extras& extras,
                                       bool keep) {
  Tensor dot = products(x, w);
  Tensor y = keep ? at::empty_like(dot) : dot;
  AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, x.scalar_type(), "yat", [&] {
    using P = Problem<scalar_t>;
    const P problem(x, w, norms, bias, extras);
    const std::int64_t batch = problem.batch();
    at::parallel_for(0, problem.layers() * batch, P::grain(problem.units()), [&](std::int64_t begin, std::int64_t end) {
      while (begin < end) {  // a chunk may span several layers
        const std::int64_t l = begin / batch, first = begin % batch;
        const std::int64_t count = std::min(end - begin, batch - first);
        kernel::yat_forward(problem.rows(dot, l, first, count), P::data(y) + begin * problem.units());
        begin += count;
      }
    });
  });
  return {y, dot};
}

/// 2 factor[r] * rows[r], then + a.b: the two terms of a matrix gradient.
template <class Element>
Tensor gradient(const Problem<Element>&, const Tensor& rows, const typename Problem<Element>::A* factor, const Tensor& a, const Tensor& b) {
  using P = Problem<Element>;
  Tensor out = at::empty_like(rows);
  const std::int64_t width = rows.size(-1), count = width > 0 ? rows.numel() / width : 0;
  at::parallel_for(0, count, P::grain(width), [&](std::int64_t begin, std::int64_t end) {
    kernel::scale_rows<typename P::T>(P::data(rows) + begin * width, factor + begin, end - begin, width, P::data(out) + begin * width);
  });
  return rows.dim() == 2 ? out.addmm_(a, b) : out.baddbmm_(a, b);
}

/// grad[own] += 2 g (own - other) for every close pair of two matrices' rows, in the order of the pairs, whatever the number of threads.
template <class Element>
void add_close_pairs(const Problem<Element>&, const std::vector<kernel::ClosePair<typename Problem<Element>::T>>& pairs,
                     std::int64_t kernel::ClosePair<typename Problem<Element>::T>::*own_index, const Tensor& own,
                     std::int64_t kernel::ClosePair<typename Problem<Element>::T>::*other_index, const Tensor& other, const Tensor& grad) {
  using P = Problem<Element>;
  if (pairs.empty()) return;
  const std::int64_t width = own.size(-1), rows = width > 0 ? own.numel() / width : 0;
  // Counting sort by row of `own`: the offset of each row.
  std::vector<std::int64_t> begins(static_cast<std::size_t>(rows) + 1, 0);
  for (const auto& pair : pairs) ++begins[static_cast<std::size_t>(pair.*own_index) + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<const typename P::T*> others(pairs.size());
  std::vector<typename P::A> factors(pairs.size());
  auto next = begins;
  for (const auto& pair : pairs) {
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(pair.*own_index)]++);
    others[at] = P::data(other) + pair.*other_index * width;
    factors[at] = pair.distance;
  }
  at::parallel_for(0, rows, P::grain(width), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      const auto begin = static_cast<std::size_t>(begins[static_cast<std::size_t>(row)]);
      const auto count = begins[static_cast<std::size_t>(row) + 1] - begins[static_cast<std::size_t>(row)];
      if (count == 0) continue;
      kernel::add_differences(P::data(own) + row * width, others.data() + begin, factors.data() + begin, count, width,
                              P::data(grad) + row * width);
    }
  });
}

struct Gradients {
  Tensor x, w, bias;
  double epsilon = 0, scale = 0;
  Tensor epsilons, scales;  // [L, n], if each unit has its own
};
struct Needed {
  bool x, w, bias;
};

Gradients backward_pass(const Tensor& grad_in, const Tensor& x, const Tensor& w, const Tensor& dot, const Tensor& bias,
                        const Extras& extras, const Needed& need) {
  Gradients out;
  const Tensor grad = grad_in.contiguous();
  AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, x.scalar_type(), "yat_backward", [&] {
    using P = Problem<scalar_t>;
    using T = typename P::T;
    const P problem(x, w, {P::norms(x), P::norms(w)}, bias, extras);
    const bool per_unit = extras.per_unit();
    const std::int64_t layers = problem.layers(), batch = problem.batch(), units = problem.units();
    const std::int64_t blocks = std::max<std::int64_t>(
        1, std::min({(kBlocks + layers - 1) / std::max<std::int64_t>(1, layers), batch * units / kBlockSize, batch}));
    const auto options = problem.x_norm.options();
    const Tensor dot_grad = at::empty_like(dot);
    const Tensor x_distance = at::empty({layers * batch}, options);
    Tensor columns = at::zeros({per_unit ? 4 : 2, layers, blocks, units}, options);
    std::vector<std::pair<double, double>> scalars(static_cast<std::size_t>(layers * blocks));
    std::vector<std::vector<kernel::ClosePair<T>>> close(static_cast<std::size_t>(layers * blocks));
    at::parallel_for(0, layers * blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t task = begin; task < end; ++task) {
        const std::int64_t l = task / blocks, block = task % blocks;
        const std::int64_t first = block * batch / blocks, last = (block + 1) * batch / blocks;
        const std::int64_t row = l * batch + first;
        kernel::YatGradients<T> g;
        g.dot = P::data(dot_grad) + row * units;
        g.x_distance = P::sums(x_distance) + row;
        g.w_distance = P::sums(columns) + task * units;
        g.bias = P::sums(columns) + (layers * blocks + task) * units;
        g.close = &close[static_cast<std::size_t>(task)];
        if (per_unit) {
          g.epsilons = P::sums(columns) + (2 * layers * blocks + task) * units;
          g.scales = P::sums(columns) + (3 * layers * blocks + task) * units;
        }
        kernel::yat_backward(problem.rows(dot, l, first, last - first), P::data(grad) + row * units, extras.after, g);
        scalars[static_cast<std::size_t>(task)] = {g.epsilon, g.scale};
        // From here on, row and unit are indices over all layers.
        for (auto& pair : *g.close) pair = {row + pair.row, l * units + pair.unit, pair.distance};
      }
    });
    if (blocks > 1) columns = columns.sum(2, true);
    std::vector<kernel::ClosePair<T>> pairs;
    for (const auto& of_task : close) pairs.insert(pairs.end(), of_task.begin(), of_task.end());
    if (need.x) {
      out.x = gradient(problem, problem.x, P::sums(x_distance), dot_grad, problem.w);
      add_close_pairs(problem, pairs, &kernel::ClosePair<T>::row, problem.x, &kernel::ClosePair<T>::unit, problem.w, out.x);
    }
    if (need.w) {
      out.w = gradient(problem, problem.w, P::sums(columns), dot_grad.transpose(-2, -1), problem.x);
      add_close_pairs(problem, pairs, &kernel::ClosePair<T>::unit, problem.w, &kernel::ClosePair<T>::row, problem.x, out.w);
    }
    if (need.bias) {
      const Tensor sums = columns.select(0, 1);
      out.bias = layers == 1 || bias.dim() == 3 ? sums : sums.sum(at::IntArrayRef{0, 1});
    }
    if (per_unit) {
      out.epsilons = columns.select(0, 2);
      out.scales = columns.select(0, 3);
    }
    double epsilon_sum = 0, scale_sum = 0;
    for (const auto& [e, factor] : scalars) {
      epsilon_sum += e;
      scale_sum += factor;
    }
    out.epsilon = epsilon_sum;
    out.scale = scale_sum;
  });
  return out;
}

class YatFunction : public torch::autograd::Function<YatFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& epsilon,
                        const Tensor& scale, const Norms& norms, bool after, double fixed_epsilon) {
    at::AutoDispatchBelowADInplaceOrView below;
    const Tensor b = from_autograd_argument(bias), e = from_autograd_argument(epsilon), s = from_autograd_argument(scale);
    auto [y, dot] = forward_pass(w.dim() == 2 ? all_rows(x) : x, w, norms, b, {after, fixed_epsilon, e, s}, true);
    ctx->save_for_backward({x, w, b, e, s, dot});
    ctx->saved_data["after"] = after;
    ctx->saved_data["epsilon"] = fixed_epsilon;
    if (x.dim() == y.dim()) return y;
    auto shape = x.sizes().vec();
    shape.back() = w.size(-2);
    return y.view(shape);
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor &x = saved[0], &w = saved[1], &bias = saved[2];
    const Tensor &epsilon = saved[3], &scale = saved[4];
    const bool after = ctx->saved_data["after"].toBool();
    const double fixed_epsilon = ctx->saved_data["epsilon"].toDouble();
    if (at::GradMode::is_enabled()) {
      auto out = differentiable_yat_gradients(ctx, grads[0], saved, after, fixed_epsilon);
      out.resize(8);
      return out;
    }
    at::AutoDispatchBelowADInplaceOrView below;
    const bool whole = w.dim() == 2;
    const auto g =
        backward_pass(whole ? all_rows(grads[0]) : grads[0], whole ? all_rows(x) : x, w, saved[5], bias,
                      {after, fixed_epsilon, epsilon, scale}, {ctx->needs_input_grad(0), ctx->needs_input_grad(1), bias.defined()});
    const auto number = [&](double value, const Tensor& of_units, const Tensor& input) {
      if (!input.defined()) return Tensor();
      if (!of_units.defined()) return at::full(input.sizes(), value, input.options());
      if (input.numel() == 1) return of_units.sum().to(input.scalar_type()).view(input.sizes());
      return gradient_like(input.numel() == of_units.numel() ? of_units : of_units.flatten(0, -2).sum(0), input);
    };
    return {gradient_like(g.x, x),
            gradient_like(g.w, w),
            gradient_like(g.bias, bias),
            number(g.epsilon, g.epsilons, epsilon),
            number(g.scale, g.scales, scale),
            Tensor(),
            Tensor(),
            Tensor()};
  }
};

}  // namespace

Tensor yat(const Tensor& x, const Tensor& w_in, const YatOptions& o) {
  check_pairwise(x, w_in, o.bias, "yat");
  if (!use_cpu_kernel(x)) return x.is_cpu() ? yat_general(x, w_in, o) : dispatched_yat(x, w_in, o);
  if (x.scalar_type() == at::kHalf) {
    return yat(x.to(at::kFloat), w_in.to(at::kHalf).to(at::kFloat), o).to(at::kHalf);
  }
  // Autocast must not round tensors that the kernels expect in the type of x.
  c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  const Tensor w = w_in.to(x.scalar_type());

  const auto [x3, w3, shape] = yat_matrices(x, w);
  const auto shaped = [&, &shape = shape](const Tensor& y) { return y.sizes() == shape ? y : y.view(shape); };

  const Norms norms = norms_of(x3, w3);
  if (too_large(norms)) {
    const Tensor wide_x = wider(x, w, "operator yat"), wide_w = wider(w, x, "operator yat");
    // In double only infinities and NaN get here, and they give NaN.
    return wide_x.is_same(x) ? yat_composed(x, w, o) : yat(wide_x, wide_w, o).to(x.scalar_type());
  }

  const bool after = o.bias_place == BiasPlace::kAfter;
  if (yat_is_differentiated(x3, w3, o)) {
    return shaped(YatFunction::apply(x3, w3, to_autograd_argument(o.bias), to_autograd_argument(o.learned_epsilon),
                                     to_autograd_argument(o.scale), norms, after, o.epsilon));
  }
  return shaped(
      forward_pass(w.dim() == 2 ? all_rows(x3) : x3, w3, norms, o.bias, {after, o.epsilon, o.learned_epsilon, o.scale}, false).first);
}

}  // namespace yatlab
