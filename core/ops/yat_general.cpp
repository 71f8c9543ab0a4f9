#include "core/ops/yat_general.h"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <torch/autograd.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/ops/pairwise.h"

namespace yatlab {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kMostScores = std::int64_t{1} << 25;  // scores per piece: several tensors of this size are temporaries

const Tensor& absent() {
  static const Tensor none = at::empty({0});
  return none;
}

/// The epsilon that decides which pairs are close. A learned epsilon on a device is not read (0), so that a few more pairs count as close.
double epsilon_known(const YatOptions& o) {
  if (!o.learned_epsilon.defined()) return o.epsilon;
  return o.learned_epsilon.is_cpu() ? o.learned_epsilon.min().item<double>() : 0;
}

/// Whether some of them have values per layer, so that pieces of the layers need pieces of them.
bool per_layer(const variable_list& extras) {
  return std::any_of(extras.begin(), extras.end(), [](const Tensor& t) { return t.defined() && t.dim() > 1; });
}

/// The scores for x and w of one type from products already computed; undefined where |x|^2 or |w|^2 overflows the type.
Tensor of_products(const Tensor& x, const Tensor& w, const Tensor& products, const YatOptions& o) {
  const auto type = accumulation_type(x.scalar_type());
  Tensor distance = squared_distances(x, w, products, epsilon_known(o));
  if (!distance.defined()) {
    if (!wider(x, w, "operator yat").is_same(x)) return {};
    distance = squared_distances(x, w, epsilon_known(o));  // with infinities and NaN
  }
  const double least = type == at::kDouble ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  const Tensor denominator = o.learned_epsilon.defined() ? distance + o.learned_epsilon.to(type) : distance + std::max(o.epsilon, least);
  const Tensor dot = products.to(type);
  const bool after = o.bias_place == BiasPlace::kAfter;
  const Tensor numerator = o.bias.defined() && !after ? dot + o.bias.to(type) : dot;
  Tensor y = numerator * (numerator / denominator);
  if (o.bias.defined() && after) y = y + o.bias.to(type);
  if (o.scale.defined()) y = y * o.scale.to(type);
  return y.to(x.scalar_type());
}

/// Calls part(begin, count) for pieces along the first dimension of scores of this shape, each of about kMostScores scores.
template <class Part>
void in_parts(at::IntArrayRef shape, bool splits, const Part& part) {
  std::int64_t each = 1;
  for (const auto size : shape.slice(1)) each *= size;
  const std::int64_t count = splits ? std::max<std::int64_t>(1, kMostScores / std::max<std::int64_t>(1, each)) : shape[0];
  for (std::int64_t begin = 0; begin < shape[0]; begin += count) part(begin, std::min(count, shape[0] - begin));
}

/// The units of some layers, where each first index of the scores has its own.
Tensor piece_of_units(const Tensor& w, std::int64_t dims, std::int64_t begin, std::int64_t count) {
  return dims < 3 || w.dim() < dims || w.size(0) == 1 ? w : w.narrow(0, begin, count);
}

/// Some of the rows along the scores' first dimension, or all if the rows are shared along it.
Tensor piece_of_rows(const Tensor& x, const Tensor& scores, std::int64_t begin, std::int64_t count) {
  return x.dim() < scores.dim() || x.size(0) != scores.size(0) ? x : x.narrow(0, begin, count);
}

class GeneralYat : public torch::autograd::Function<GeneralYat> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& epsilon,
                        const Tensor& scale, bool after, double fixed_epsilon) {
    const YatOptions o =
        yat_options(from_autograd_argument(bias), from_autograd_argument(epsilon), from_autograd_argument(scale), after, fixed_epsilon);
    Tensor products = inner_products(x, w), y = at::empty_like(products);
    bool wide = false;
    const bool split = splits(x, products) && !per_layer({o.bias, o.learned_epsilon, o.scale});
    in_parts(products.sizes(), split, [&](std::int64_t begin, std::int64_t count) {
      if (wide) return;
      const Tensor part = of_products(piece_of_rows(x, products, begin, count), piece_of_units(w, products.dim(), begin, count),
                                      products.narrow(0, begin, count), o);
      if (part.defined()) {
        y.narrow(0, begin, count).copy_(part);
      } else {
        wide = true;
      }
    });
    if (wide) {
      y = yat_composed(x, w, o);
      products = Tensor();
    }
    ctx->save_for_backward({x, w, o.bias, o.learned_epsilon, o.scale, products});
    ctx->saved_data["after"] = after;
    ctx->saved_data["epsilon"] = fixed_epsilon;
    return y;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const bool after = ctx->saved_data["after"].toBool();
    const double fixed_epsilon = ctx->saved_data["epsilon"].toDouble();
    variable_list out(7);
    if (at::GradMode::is_enabled()) {
      const auto found = differentiable_yat_gradients(ctx, grads[0], saved, after, fixed_epsilon);
      std::copy(found.begin(), found.end(), out.begin());
      return out;
    }
    const Tensor &x = saved[0], &w = saved[1], &products = saved[5];
    if (!products.defined()) {
      const auto all = part_gradients(x, w, saved, Tensor(), grads[0], after, fixed_epsilon);
      std::copy(all.begin(), all.end() - 1, out.begin());
      return out;
    }
    const bool split = splits(x, products) && !per_layer({saved[2], saved[3], saved[4]});
    in_parts(products.sizes(), split, [&](std::int64_t begin, std::int64_t count) {
      const Tensor own_x = piece_of_rows(x, products, begin, count), own_w = piece_of_units(w, products.dim(), begin, count);
      auto part =
          part_gradients(own_x, own_w, saved, products.narrow(0, begin, count), grads[0].narrow(0, begin, count), after, fixed_epsilon);
      const Tensor d_products = part.back().to(x.scalar_type());
      part[0] = sum(part[0], at::sum_to(at::matmul(d_products, own_w), own_x.sizes()));
      part[1] = sum(part[1], at::sum_to(at::matmul(d_products.transpose(-2, -1), own_x), own_w.sizes()));
      for (std::size_t i = 0; i < 5; ++i) {
        if (!part[i].defined()) continue;
        if (i < 2 && part[i].sizes() != saved[i].sizes()) {
          if (!out[i].defined()) out[i] = at::empty_like(saved[i]);
          out[i].narrow(0, begin, count).copy_(part[i]);
        } else {
          out[i] = sum(out[i], part[i]);
        }
      }
    });
    return out;
  }

 private:
  static bool splits(const Tensor& x, const Tensor& products) {
    return products.dim() == x.dim() && x.size(0) > 1 && products.numel() > kMostScores;
  }
  static Tensor sum(const Tensor& a, const Tensor& b) {
    if (!a.defined()) return b;
    return b.defined() ? a + b : a;
  }

  /// Gradients of x, w, bias, epsilon, scale and the products. Products, where defined, are an independent input.
  static variable_list part_gradients(const Tensor& x, const Tensor& w, const variable_list& saved, const Tensor& products,
                                      const Tensor& grad, bool after, double fixed_epsilon) {
    const at::AutoGradMode with_gradients(true);
    variable_list all = {x, w, saved[2], saved[3], saved[4], products}, leaves;
    for (auto& t : all) {
      if (!t.defined()) continue;
      t = t.detach().requires_grad_(true);
      leaves.push_back(t);
    }
    const YatOptions o = yat_options(all[2], all[3], all[4], after, fixed_epsilon);
    const Tensor y = products.defined() ? of_products(all[0], all[1], all[5], o) : yat_composed(all[0], all[1], o);
    auto found = torch::autograd::grad({y}, leaves, {grad}, false, false, true);
    variable_list out(6);
    for (std::size_t i = 0, next = 0; i < 6; ++i) {
      if (all[i].defined()) out[i] = found[next++];
    }
    return out;
  }
};

}  // namespace

YatOptions yat_options(const Tensor& bias, const Tensor& learned_epsilon, const Tensor& scale, bool bias_after, double epsilon) {
  YatOptions o;
  o.bias = bias;
  o.bias_place = bias_after ? BiasPlace::kAfter : BiasPlace::kInside;
  o.epsilon = epsilon;
  o.learned_epsilon = learned_epsilon;
  o.scale = scale;
  return o;
}

Tensor to_autograd_argument(const Tensor& t) { return t.defined() ? t : absent(); }
Tensor from_autograd_argument(const Tensor& t) { return t.is_same(absent()) ? Tensor() : t; }

YatMatrices yat_matrices(const Tensor& x, const Tensor& w) {
  YatMatrices out{x, w, x.sizes().vec()};
  if (w.dim() > 2) {
    const std::int64_t dim = x.size(-1), units = w.size(-2);
    out.shape = at::infer_size(x.sizes().slice(0, static_cast<std::size_t>(x.dim()) - 2),
                               w.sizes().slice(0, static_cast<std::size_t>(w.dim()) - 2));
    std::int64_t layers = 1;
    for (const auto size : out.shape) layers *= size;
    auto x_shape = out.shape, w_shape = out.shape;
    x_shape.insert(x_shape.end(), {x.size(-2), dim});
    w_shape.insert(w_shape.end(), {units, dim});
    out.x = x.expand(x_shape).reshape({layers, x.size(-2), dim});
    out.w = w.expand(w_shape).reshape({layers, units, dim});
    out.shape.insert(out.shape.end(), {x.size(-2), dim});
  }
  out.shape.back() = w.size(-2);
  return out;
}

Tensor all_rows(const Tensor& x) {
  if (x.dim() == 2) return x;
  std::int64_t rows = 1;  // not -1: the tensor may be empty
  for (const auto size : x.sizes().slice(0, static_cast<std::size_t>(x.dim()) - 1)) rows *= size;
  return x.reshape({rows, x.size(-1)});
}

Tensor gradient_like(const Tensor& value, const Tensor& input) {
  if (!value.defined() || !input.defined()) return {};
  const Tensor typed = value.scalar_type() == input.scalar_type() ? value : value.to(input.scalar_type());
  return typed.sizes() == input.sizes() ? typed : typed.view(input.sizes());
}

bool yat_is_differentiated(const Tensor& x, const Tensor& w, const YatOptions& o) {
  const auto wants = [](const Tensor& t) { return t.defined() && t.requires_grad(); };
  return at::GradMode::is_enabled() && (wants(x) || wants(w) || wants(o.bias) || wants(o.learned_epsilon) || wants(o.scale));
}

variable_list differentiable_yat_gradients(AutogradContext* ctx, const Tensor& grad, const variable_list& saved, bool after,
                                           double epsilon) {
  const YatOptions o = yat_options(saved[2], saved[3], saved[4], after, epsilon);
  variable_list inputs, out(5);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < 5; ++i) {
    if (!saved[i].defined() || !ctx->needs_input_grad(i)) continue;
    inputs.push_back(saved[i]);
    places.push_back(i);
  }
  const auto gradients = torch::autograd::grad({yat_composed(saved[0], saved[1], o)}, inputs, {grad}, true, true, true);
  for (std::size_t i = 0; i < places.size(); ++i) out[places[i]] = gradients[i];
  return out;
}

Tensor yat_composed(const Tensor& x, const Tensor& w, const YatOptions& o) {
  check_pairwise(x, w, o.bias, "yat");
  if (x.scalar_type() == at::kHalf) {  // products soon overflow it
    return yat_composed(x.to(at::kFloat), w.to(at::kHalf).to(at::kFloat), o).to(at::kHalf);
  }
  // The products keep the storage type, for speed; everything after them does not.
  const Tensor units = w.to(x.scalar_type()), y = of_products(x, units, inner_products(x, units), o);
  if (y.defined()) return y;
  return yat_composed(wider(x, units, "operator yat"), wider(units, x, "operator yat"), o).to(x.scalar_type());
}

Tensor yat_general(const Tensor& x, const Tensor& w_in, const YatOptions& o) {
  if (x.scalar_type() == at::kHalf) return yat_general(x.to(at::kFloat), w_in.to(at::kHalf).to(at::kFloat), o).to(at::kHalf);
  const Tensor w = w_in.to(x.scalar_type());
  if (!yat_is_differentiated(x, w, o)) return yat_composed(x, w, o);
  // For views of a larger tensor, such as queries and keys, do not save all of that tensor.
  return GeneralYat::apply(x.contiguous(), w.contiguous(), to_autograd_argument(o.bias), to_autograd_argument(o.learned_epsilon),
                           to_autograd_argument(o.scale), o.bias_place == BiasPlace::kAfter, o.epsilon);
}

}  // namespace yatlab
