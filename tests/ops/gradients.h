// First and second derivatives against central differences.
#pragma once

#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <functional>
#include <vector>

namespace gradients {

using Function = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

inline std::vector<at::Tensor> leaves(const std::vector<at::Tensor>& inputs) {
  std::vector<at::Tensor> out;
  for (const auto& t : inputs) out.push_back(t.detach().clone().set_requires_grad(true));
  return out;
}

/// Fixed weights, so that symmetric errors do not cancel in a sum.
inline at::Tensor weights_like(const at::Tensor& t) {
  const auto ramp = at::arange(t.numel(), t.options().requires_grad(false));
  return at::sin(ramp * 1.7 + 0.4).view(t.sizes());
}

inline at::Tensor projected(const Function& f, const std::vector<at::Tensor>& inputs) {
  const at::Tensor y = f(inputs);
  return (y * weights_like(y)).sum();
}

/// d (f . weights) / d inputs
inline std::vector<at::Tensor> gradient(const Function& f, const std::vector<at::Tensor>& inputs) {
  const auto x = leaves(inputs);
  return torch::autograd::grad({projected(f, x)}, x);
}

/// Largest difference between `analytic` and central differences of `value`, relative to the largest
/// entry of the analytic gradient (or 1).
inline double worst(const std::function<double(const std::vector<at::Tensor>&)>& value, const std::vector<at::Tensor>& inputs,
                    const std::vector<at::Tensor>& analytic, double step) {
  double error = 0, size = 1;
  for (const auto& g : analytic) {
    if (g.numel() > 0) size = std::max(size, g.abs().max().item<double>());
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const at::Tensor flat = analytic[i].contiguous().view({-1});
    for (std::int64_t k = 0; k < flat.numel(); ++k) {
      auto up = inputs, down = inputs;
      up[i] = inputs[i].detach().clone();
      down[i] = inputs[i].detach().clone();
      up[i].view({-1})[k] += step;
      down[i].view({-1})[k] -= step;
      const double numeric = (value(up) - value(down)) / (2 * step);
      error = std::max(error, std::abs(numeric - flat[k].item<double>()));
    }
  }
  return error / size;
}

/// Error of the first derivative. Inputs must be double.
inline double first_order_error(const Function& f, const std::vector<at::Tensor>& inputs, double step = 1e-6) {
  const auto value = [&](const std::vector<at::Tensor>& at_point) {
    at::NoGradGuard no_grad;
    return projected(f, at_point).item<double>();
  };
  return worst(value, inputs, gradient(f, inputs), step);
}

/// Error of the second derivative: that of (gradient . weights), against differences of the first.
inline double second_order_error(const Function& f, const std::vector<at::Tensor>& inputs, double step = 1e-6) {
  const auto x = leaves(inputs);
  const auto first = torch::autograd::grad({projected(f, x)}, x, {}, true, true);
  at::Tensor total = at::zeros({}, at::kDouble);
  for (const auto& g : first) total = total + (g * weights_like(g)).sum();
  auto second = torch::autograd::grad({total}, x, {}, false, false, true);
  for (std::size_t i = 0; i < x.size(); ++i) {  // inputs that the gradient does not depend on
    if (!second[i].defined()) second[i] = at::zeros_like(inputs[i]);
  }
  const auto value = [&](const std::vector<at::Tensor>& at_point) {
    double sum = 0;
    for (const auto& g : gradient(f, at_point)) sum += (g * weights_like(g)).sum().item<double>();
    return sum;
  };
  return worst(value, inputs, second, step);
}

/// Largest |a - b| relative to the largest |b| (or `floor`).
inline double relative_error(const at::Tensor& a, const at::Tensor& b, double floor = 1e-30) {
  if (b.numel() == 0) return a.numel() == 0 ? 0 : 1;
  const at::Tensor x = a.detach().to(at::kDouble), y = b.detach().to(at::kDouble);
  return (x - y).abs().max().item<double>() / std::max(floor, y.abs().max().item<double>());
}

}  // namespace gradients
