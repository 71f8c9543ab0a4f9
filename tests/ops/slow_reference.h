// An independent yat product, written from its definition: plain loops, long double, the distance
// as a sum of squared differences. Shares no code with the library.
#pragma once

#include <ATen/ATen.h>

#include <vector>

namespace slow {

struct Problem {
  double epsilon = 1e-5;
  double scale = 1;
  bool bias_after = false;
};

inline std::vector<long double> numbers(const at::Tensor& t) {
  const at::Tensor flat = t.detach().to(at::kDouble).contiguous().view({-1});
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

/// x [B, d], w [n, d], bias [n] or undefined -> [B, n], double.
inline at::Tensor yat(const at::Tensor& x, const at::Tensor& w, const at::Tensor& bias = {}, const Problem& p = {}) {
  const auto rows = x.size(0), units = w.size(0), dim = x.size(1);
  const auto xs = numbers(x), ws = numbers(w);
  const auto bs = bias.defined() ? numbers(bias) : std::vector<long double>(units, 0);
  at::Tensor out = at::empty({rows, units}, at::kDouble);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < units; ++j) {
      long double dot = 0, distance = 0;
      for (std::int64_t k = 0; k < dim; ++k) {
        const long double a = xs[i * dim + k], b = ws[j * dim + k];
        dot += a * b;
        distance += (a - b) * (a - b);
      }
      const long double n = p.bias_after ? dot : dot + bs[j];
      long double y = n * n / (distance + p.epsilon);
      if (p.bias_after) y += bs[j];
      out[i][j] = static_cast<double>(p.scale * y);
    }
  }
  return out;
}

/// The gradient of (y * g).sum() in x, w and bias, computed the same way.
struct Gradient {
  at::Tensor x, w, bias;
  double epsilon = 0, scale = 0;
};
inline Gradient yat_gradient(const at::Tensor& x, const at::Tensor& w, const at::Tensor& bias, const at::Tensor& g, const Problem& p = {}) {
  const auto rows = x.size(0), units = w.size(0), dim = x.size(1);
  const auto xs = numbers(x), ws = numbers(w), gs = numbers(g);
  const auto bs = bias.defined() ? numbers(bias) : std::vector<long double>(units, 0);
  std::vector<long double> gx(rows * dim, 0), gw(units * dim, 0), gb(units, 0);
  Gradient out;
  long double g_epsilon = 0, g_scale = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < units; ++j) {
      long double dot = 0, distance = 0;
      for (std::int64_t k = 0; k < dim; ++k) {
        const long double a = xs[i * dim + k], b = ws[j * dim + k];
        dot += a * b;
        distance += (a - b) * (a - b);
      }
      const long double n = p.bias_after ? dot : dot + bs[j];
      const long double d = distance + p.epsilon;
      const long double up = gs[i * units + j] * p.scale;
      for (std::int64_t k = 0; k < dim; ++k) {
        const long double a = xs[i * dim + k], b = ws[j * dim + k];
        gx[i * dim + k] += up * (2 * n * b / d - n * n * 2 * (a - b) / (d * d));
        gw[j * dim + k] += up * (2 * n * a / d - n * n * 2 * (b - a) / (d * d));
      }
      gb[j] += p.bias_after ? up : up * 2 * n / d;
      g_epsilon -= up * n * n / (d * d);
      g_scale += gs[i * units + j] * (n * n / d + (p.bias_after ? bs[j] : 0));
    }
  }
  const auto tensor = [](const std::vector<long double>& v, at::IntArrayRef shape) {
    const std::vector<double> d(v.begin(), v.end());
    return at::tensor(d, at::kDouble).view(shape).clone();
  };
  out.x = tensor(gx, x.sizes());
  out.w = tensor(gw, w.sizes());
  out.bias = tensor(gb, {units});
  out.epsilon = static_cast<double>(g_epsilon);
  out.scale = static_cast<double>(g_scale);
  return out;
}

}  // namespace slow
