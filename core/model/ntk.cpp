#include "core/model/ntk.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/verdict/statistics.h"

namespace yatlab {
namespace {

std::vector<Tensor> trained(const Architecture& model) {
  std::vector<Tensor> out;
  for (const auto& p : model.parameters()) {
    if (p.requires_grad()) out.push_back(p);
  }
  return out;
}

/// The gradients for one sample [1, ...]: one row per requested output.
std::vector<Tensor> sample_gradients(Architecture& model, const std::vector<Tensor>& parameters, const Tensor& sample,
                                     std::optional<std::int64_t> output) {
  at::AutoGradMode with_gradients(true);
  const Tensor y = model.forward(sample);
  const std::int64_t first = output.value_or(0), end = output ? first + 1 : y.size(1);
  if (first < 0 || end > y.size(1)) {
    throw data_error(fmt::format("the model has no output {}", first), "ntk", fmt::format("it has {}", y.size(1)));
  }
  std::vector<Tensor> rows;
  for (std::int64_t c = first; c < end; ++c) {
    const auto grads = torch::autograd::grad({y.select(1, c).sum()}, parameters, {}, c + 1 < end, false, true);
    std::vector<Tensor> parts;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parts.push_back(grads[i].defined() ? grads[i].reshape({-1}) : at::zeros_like(parameters[i]).reshape({-1}));
    }
    rows.push_back(at::cat(parts));
  }
  return rows;
}

/// Running mean and mean square of matrices.
struct Moments {
  Tensor sum, squares;
  void add(const Tensor& value) {
    sum = sum.defined() ? sum + value : value.clone();
    squares = squares.defined() ? squares + value * value : value * value;
  }
  KernelEstimate estimate(std::int64_t n) const {
    const auto count = static_cast<double>(n);
    const Tensor mean = sum / count;
    const Tensor variance = (squares / count - mean * mean).clamp_min(0) / std::max(1.0, count - 1);
    return {mean, variance.sqrt()};
  }
};

/// Norms and angle between all rows.
struct Angles {
  Tensor norms, cosine, theta;  ///< |x||y|, cos, angle in [0, pi]
  Angles(const Tensor& x, const Tensor& y) {
    norms = at::outer(x.norm(2, {1}), y.norm(2, {1}));
    cosine = (at::mm(x, y.t()) / norms.clamp_min(1e-300)).clamp(-1, 1);
    theta = cosine.acos();
  }
};

}  // namespace

Tensor parameter_gradients(Architecture& model, const Tensor& inputs, std::int64_t output) {
  const auto parameters = trained(model);
  std::vector<Tensor> rows;
  for (std::int64_t i = 0; i < inputs.size(0); ++i) {
    rows.push_back(sample_gradients(model, parameters, inputs.narrow(0, i, 1), output)[0]);
  }
  return at::stack(rows);
}

Tensor empirical_ntk(Architecture& model, const Tensor& inputs, std::optional<std::int64_t> output) {
  const auto parameters = trained(model);
  std::vector<std::vector<Tensor>> rows;  // per output, per sample
  for (std::int64_t i = 0; i < inputs.size(0); ++i) {
    auto of_sample = sample_gradients(model, parameters, inputs.narrow(0, i, 1), output);
    rows.resize(of_sample.size());
    for (std::size_t c = 0; c < of_sample.size(); ++c) rows[c].push_back(std::move(of_sample[c]));
  }
  Tensor kernel = at::zeros({inputs.size(0), inputs.size(0)}, at::kDouble);
  constexpr std::int64_t kColumns = 8192;  // gradients are converted to double in slices
  for (auto& of_output : rows) {
    const Tensor j = at::stack(of_output);
    of_output.clear();
    for (std::int64_t begin = 0; begin < j.size(1); begin += kColumns) {
      const Tensor part = j.narrow(1, begin, std::min(kColumns, j.size(1) - begin)).to(at::kCPU, at::kDouble);
      kernel.addmm_(part, part.t());
    }
  }
  return kernel;
}

std::vector<double> kernel_spectrum(const Tensor& gram) {
  const Tensor k = gram.to(at::kCPU, at::kDouble);
  const Tensor e = (at::linalg_eigvalsh(0.5 * (k + k.t())) / static_cast<double>(k.size(0))).clamp_min(0).flip(0).contiguous();
  return {e.data_ptr<double>(), e.data_ptr<double>() + e.numel()};
}

DecayFit fit_decay(const std::vector<double>& spectrum, std::int64_t first, std::int64_t last, double floor) {
  DecayFit fit;
  fit.first = std::max<std::int64_t>(1, first);
  std::vector<double> rank, value;
  for (std::int64_t k = fit.first; k <= std::min<std::int64_t>(last, static_cast<std::int64_t>(spectrum.size())); ++k) {
    const double v = spectrum[static_cast<std::size_t>(k - 1)];
    if (!(v > floor * spectrum[0])) break;
    rank.push_back(static_cast<double>(k));
    value.push_back(v);
    fit.last = k;
  }
  if (rank.size() < 3) {
    throw data_error("a decay rate needs at least 3 eigenvalues", "ntk",
                     fmt::format("only {} of the ranks {} to {} are above {:g} of the largest", rank.size(), first, last, floor));
  }
  const auto line = fit_power_law(rank, value);
  fit.exponent = -line.slope;
  fit.scale = std::exp(line.intercept);
  fit.low = -line.slope_ci95->high;
  fit.high = -line.slope_ci95->low;
  fit.r2 = line.r2;
  return fit;
}

Tensor domain_points(Domain domain, std::int64_t n, std::int64_t d) {
  const Tensor i = at::arange(1, n + 1, at::kDouble).unsqueeze(1);
  if (domain == Domain::kSphere && d == 2) {
    const Tensor angle = i * (2 * M_PI / static_cast<double>(n));
    return at::cat({angle.cos(), angle.sin()}, 1);
  }
  // phi^(D+1) = phi + 1: multiples of the steps phi^-1, phi^-2, ... are evenly spread in D dimensions for every n.
  const std::int64_t dims = domain == Domain::kBall ? d + 1 : d;
  double phi = 1.5;
  for (int step = 0; step < 100; ++step) phi = std::pow(1 + phi, 1.0 / static_cast<double>(dims + 1));
  const Tensor steps = at::pow(phi, -at::arange(1, dims + 1, at::kDouble));
  const Tensor u = at::frac(0.5 + i * steps);  // [n, dims]
  if (domain == Domain::kCube) return 2 * u - 1;
  // The normal distribution has no preferred direction.
  const Tensor z = std::sqrt(2.0) * at::erfinv(2 * u.narrow(1, 0, d) - 1);
  const Tensor directions = z / z.norm(2, {1}, true).clamp_min(1e-12);
  if (domain == Domain::kSphere) return directions;
  return directions * at::pow(u.narrow(1, d, 1), 1.0 / static_cast<double>(d));
}

UnitFunction operator_units(std::shared_ptr<const Operator> op) {
  return [op = std::move(op)](const Tensor& x, const Tensor& w) { return op->scores(x, w, {}); };
}

UnitFunction relu_units() {
  return [](const Tensor& x, const Tensor& w) { return at::relu(at::matmul(x, w.transpose(-2, -1))); };
}

UnitGradients unit_gradients(const UnitFunction& units, const Tensor& x, const Tensor& w) {
  at::AutoGradMode with_gradients(true);
  // Every input gets its own copy of the weights, so that one backward pass keeps their gradients separate.
  const Tensor own = w.detach().unsqueeze(0).expand({x.size(0), w.size(0), w.size(1)}).contiguous().requires_grad_(true);
  const Tensor values = units(x.detach().unsqueeze(1), own).squeeze(1);
  const Tensor gradients = torch::autograd::grad({values.sum()}, {own})[0];
  return {values.detach(), gradients};
}

ExpectedNtk expected_ntk(const UnitFunction& units, const Tensor& x, const std::function<Tensor(std::int64_t)>& draw, std::int64_t batches,
                         std::int64_t batch) {
  Moments features, gradients, total;
  for (std::int64_t b = 0; b < batches; ++b) {
    const auto unit = unit_gradients(units, x, draw(batch));
    const auto count = static_cast<double>(batch);
    const Tensor g = unit.gradients.reshape({x.size(0), -1});
    const Tensor first = at::mm(unit.values, unit.values.t()) / count, second = at::mm(g, g.t()) / count;
    features.add(first);
    gradients.add(second);
    total.add(first + second);
  }
  return {features.estimate(batches), gradients.estimate(batches), total.estimate(batches)};
}

Tensor arc_cosine_kernel(int order, const Tensor& x, const Tensor& y) {
  const Angles a(x, y);
  if (order == 0) return 1 - a.theta / M_PI;
  if (order == 1) return a.norms * (a.theta.sin() + (M_PI - a.theta) * a.cosine) / M_PI;
  throw data_error(fmt::format("the order of an arc-cosine kernel must be 0 or 1, found {}", order), "arc_cosine_kernel");
}

Tensor relu_ntk(const Tensor& x, const Tensor& y, const ReluNetwork& n) {
  const Tensor features = 0.5 * n.weight_std * n.weight_std * arc_cosine_kernel(1, x, y);
  const Tensor slopes = 0.5 * n.readout_std * n.readout_std * arc_cosine_kernel(0, x, y) * (at::mm(x, y.t()) + (n.bias ? 1.0 : 0.0));
  return n.factor * n.factor * static_cast<double>(n.width) * (features + slopes) + (n.readout_bias ? 1.0 : 0.0);
}

}  // namespace yatlab
