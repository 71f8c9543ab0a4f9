#include "core/ops/search.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace yatlab {
namespace {

using at::Tensor;

/// [R] values without gradients; non-finite values become -infinity.
Tensor values_of(const std::function<Tensor(const Tensor&)>& f, const Tensor& points) {
  at::NoGradGuard no_grad;
  const Tensor v = f(points).to(at::kDouble);
  return at::where(at::isfinite(v), v, at::full_like(v, -std::numeric_limits<double>::infinity()));
}

/// Keeps, row by row, the better of the best point so far and the new one.
void keep_better(Tensor& best, Tensor& best_values, const Tensor& points, const Tensor& values) {
  const Tensor better = values > best_values;
  std::vector<std::int64_t> shape(static_cast<std::size_t>(points.dim()), 1);
  shape[0] = points.size(0);
  best = at::where(better.view(shape), points, best);
  best_values = at::maximum(values, best_values);
}

}  // namespace

SearchResult maximise(const std::function<Tensor(const Tensor&)>& f, const Tensor& starts,
                      const std::function<Tensor(const Tensor&)>& project, const SearchOptions& o) {
  const auto admissible = [&](const Tensor& x) {
    at::NoGradGuard no_grad;
    return project ? project(x).contiguous() : x;
  };
  Tensor points = admissible(starts.detach().to(at::kDouble).clone());
  Tensor best = points.clone(), best_values = values_of(f, points);

  const double scale = std::max(points.abs().mean().item<double>(), 1e-12);
  Tensor m = at::zeros_like(points), v = at::zeros_like(points);
  for (std::int64_t t = 1; t <= o.steps; ++t) {
    const Tensor x = points.detach().requires_grad_(true);
    const Tensor y = f(x);
    // Adam's step does not depend on the scale of f, so rows of very different values climb alike.
    Tensor g = torch::autograd::grad({y.sum()}, {x}, {}, false, false, true)[0];
    if (!g.defined()) break;
    at::NoGradGuard no_grad;
    g = at::nan_to_num(g, 0.0, 0.0, 0.0);
    m.mul_(0.9).add_(g, 0.1);
    v.mul_(0.99).addcmul_(g, g, 0.01);
    const double share = static_cast<double>(t) / static_cast<double>(o.steps);
    const double lr = o.step_size * scale * (0.01 + 0.99 * 0.5 * (1 + std::cos(M_PI * share)));
    const Tensor step = (m / (1 - std::pow(0.9, t))) / ((v / (1 - std::pow(0.99, t))).sqrt() + 1e-300);
    points = admissible(points + lr * step);
    keep_better(best, best_values, points, values_of(f, points));
  }

  const std::int64_t keep = std::min(o.keep, best.size(0));
  const Tensor order = std::get<1>(best_values.topk(keep));
  Tensor top = best.index_select(0, order), top_values = best_values.index_select(0, order);
  auto generator = at::make_generator<at::CPUGeneratorImpl>(o.seed);
  double radius = 0.1 * scale;
  for (std::int64_t t = 0; t < o.refinements; ++t, radius *= 0.93) {
    const Tensor near = admissible(top + radius * at::randn(top.sizes(), generator, top.options()));
    keep_better(top, top_values, near, values_of(f, near));
  }
  const std::int64_t winner = top_values.argmax().item<std::int64_t>();
  return {top_values[winner].item<double>(), top[winner].clone()};
}

}  // namespace yatlab
