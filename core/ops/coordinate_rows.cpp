#include "core/ops/coordinate_rows.h"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <torch/autograd.h>
#include <torch/custom_class.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/base/error.h"

namespace yatlab {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct RuleHolder final : torch::CustomClassHolder {
  explicit RuleHolder(CoordinateRule r) : rule(std::move(r)) {}
  CoordinateRule rule;
};
using RulePointer = c10::intrusive_ptr<RuleHolder>;

/// One block of pairs: for member `l`, the rows from `i` and the units from `j`.
struct PairTile {
  std::int64_t l, i, rows, j, units;

  Tensor of_x(const Tensor& x) const { return x.select(0, l).narrow(0, i, rows); }
  Tensor of_w(const Tensor& w) const { return w.select(0, l).narrow(0, j, units); }
  /// packed: [parameters, 1 or L]
  Tensor of_parameters(const Tensor& packed) const { return packed.select(1, packed.size(1) == 1 ? 0 : l); }
  Tensor of_scores(const Tensor& y) const { return y.select(0, l).narrow(0, i, rows).narrow(1, j, units); }

  Tensor scores(const CoordinateRule& rule, const Tensor& x, const Tensor& w, const Tensor& parameters) const {
    return rule(x.unsqueeze(1), w.unsqueeze(0), parameters.unbind(0)).expand({rows, units});
  }
};

/// x: [L, B, d], w: [L, n, d]
template <class Do>
void each_tile(const Tensor& x, const Tensor& w, const Do& act) {
  const auto members = x.size(0), all_rows = x.size(1), all_units = w.size(1), d = std::max<std::int64_t>(1, x.size(2));
  const auto units = std::min(all_units, std::max<std::int64_t>(1, kCoordinateTile / d));
  const auto rows = std::min(all_rows, std::max<std::int64_t>(1, kCoordinateTile / (d * std::max<std::int64_t>(1, units))));
  for (std::int64_t l = 0; l < members; ++l) {
    for (std::int64_t i = 0; i < all_rows; i += rows) {
      for (std::int64_t j = 0; j < all_units; j += units) {
        act(PairTile{l, i, std::min(rows, all_rows - i), j, std::min(units, all_units - j)});
      }
    }
  }
}

Tensor as_leaf(const Tensor& t) { return t.detach().requires_grad_(true); }

/// The gradients of the rule's scores with respect to x, w and parameters. Its own backward pass computes second derivatives.
class CoordinateGradients : public torch::autograd::Function<CoordinateGradients> {
 public:
  static variable_list forward(AutogradContext* context, const Tensor& x, const Tensor& w, const Tensor& packed, const Tensor& grad,
                               const RulePointer& holder) {
    context->saved_data["rule"] = c10::IValue::make_capsule(holder);
    context->save_for_backward({x, w, packed, grad});
    return gradients(x, w, packed, grad, holder->rule);
  }

  static variable_list gradients(const Tensor& x, const Tensor& w, const Tensor& packed, const Tensor& grad, const CoordinateRule& rule) {
    const at::NoGradGuard no_grad;
    variable_list out = {at::zeros_like(x), at::zeros_like(w), at::zeros_like(packed)};
    each_tile(x, w, [&](const PairTile& tile) {
      const Tensor a = as_leaf(tile.of_x(x)), b = as_leaf(tile.of_w(w)), p = as_leaf(tile.of_parameters(packed));
      Tensor y;
      {
        const at::AutoGradMode with_gradients(true);
        y = tile.scores(rule, a, b, p);
      }
      if (!y.requires_grad()) return;
      const auto found = torch::autograd::grad({y}, {a, b, p}, {tile.of_scores(grad)}, {}, /*create_graph=*/false, /*allow_unused=*/true);
      if (found[0].defined()) tile.of_x(out[0]).add_(found[0]);
      if (found[1].defined()) tile.of_w(out[1]).add_(found[1]);
      if (found[2].defined()) tile.of_parameters(out[2]).add_(found[2]);
    });
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& directions) {
    if (at::GradMode::is_enabled()) {
      throw Error(ErrorKind::kJob, "third derivatives of a formula's sums over coordinates are not supported", "operator.f", {},
                  "write it with dot and dist2, or as a component in C++");
    }
    const auto holder = c10::static_intrusive_pointer_cast<RuleHolder>(context->saved_data["rule"].toCapsule());
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &w = saved[1], &packed = saved[2], &grad = saved[3];
    variable_list out = {at::zeros_like(x), at::zeros_like(w), at::zeros_like(packed), at::zeros_like(grad), Tensor()};
    each_tile(x, w, [&](const PairTile& tile) {
      const variable_list in = {as_leaf(tile.of_x(x)), as_leaf(tile.of_w(w)), as_leaf(tile.of_parameters(packed)),
                                as_leaf(tile.of_scores(grad))};
      variable_list first, seen, along;
      {
        const at::AutoGradMode with_gradients(true);
        const Tensor y = tile.scores(holder->rule, in[0], in[1], in[2]);
        if (!y.requires_grad()) return;
        first = torch::autograd::grad({y}, {in[0], in[1], in[2]}, {in[3]}, true, /*create_graph=*/true, /*allow_unused=*/true);
      }
      const auto take = [&](std::size_t i, const Tensor& direction) {
        if (!first[i].defined() || !first[i].requires_grad()) return;
        seen.push_back(first[i]);
        along.push_back(direction);
      };
      if (directions[0].defined()) take(0, tile.of_x(directions[0]));
      if (directions[1].defined()) take(1, tile.of_w(directions[1]));
      if (directions[2].defined()) take(2, tile.of_parameters(directions[2]));
      if (seen.empty()) return;
      const auto second = torch::autograd::grad(seen, in, along, {}, /*create_graph=*/false, /*allow_unused=*/true);
      if (second[0].defined()) tile.of_x(out[0]).add_(second[0]);
      if (second[1].defined()) tile.of_w(out[1]).add_(second[1]);
      if (second[2].defined()) tile.of_parameters(out[2]).add_(second[2]);
      if (second[3].defined()) tile.of_scores(out[3]).add_(second[3]);
    });
    return out;
  }
};

class CoordinateScores : public torch::autograd::Function<CoordinateScores> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& w, const Tensor& packed, const RulePointer& holder) {
    context->saved_data["rule"] = c10::IValue::make_capsule(holder);
    context->save_for_backward({x, w, packed});
    const at::NoGradGuard no_grad;
    Tensor out = at::empty({x.size(0), x.size(1), w.size(1)}, x.options());
    each_tile(x, w, [&](const PairTile& tile) {
      tile.of_scores(out).copy_(tile.scores(holder->rule, tile.of_x(x), tile.of_w(w), tile.of_parameters(packed)));
    });
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto holder = c10::static_intrusive_pointer_cast<RuleHolder>(context->saved_data["rule"].toCapsule());
    const auto saved = context->get_saved_variables();
    auto out = at::GradMode::is_enabled() ? CoordinateGradients::apply(saved[0], saved[1], saved[2], grads[0], holder)
                                          : CoordinateGradients::gradients(saved[0], saved[1], saved[2], grads[0], holder->rule);
    out.emplace_back();
    return out;
  }
};

}  // namespace

Tensor over_coordinates(const CoordinateRule& rule, const Tensor& x, const Tensor& w, const std::vector<Tensor>& parameters) {
  const auto leading = at::infer_size(x.sizes().slice(0, x.sizes().size() - 2), w.sizes().slice(0, w.sizes().size() - 2));
  const auto members = std::accumulate(leading.begin(), leading.end(), std::int64_t{1}, std::multiplies<>());
  const auto flat = [&](const Tensor& t) {
    auto shape = leading;
    shape.insert(shape.end(), {t.size(-2), t.size(-1)});
    return t.expand(shape).reshape({members, t.size(-2), t.size(-1)});
  };
  const Tensor a = flat(x), b = flat(w);
  std::int64_t columns = 1;
  for (const auto& p : parameters) columns = std::max(columns, p.numel());
  std::vector<Tensor> values;
  for (const auto& p : parameters) values.push_back(p.reshape({-1}).expand({columns}));
  const Tensor packed = values.empty() ? at::empty({0, 1}, x.options()) : at::stack(values);
  auto shape = leading;
  shape.insert(shape.end(), {x.size(-2), w.size(-2)});
  return CoordinateScores::apply(a, b, packed, c10::make_intrusive<RuleHolder>(rule)).view(shape);
}

}  // namespace yatlab
