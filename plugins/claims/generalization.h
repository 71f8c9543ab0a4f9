#pragma once

#include <ATen/ATen.h>

#include <cmath>

#include "plugins/claims/gram.h"

/// Kernel ridge regression with a known target; its error is averaged exactly over the noise.
namespace yatlab::claims::ridge {

using at::Tensor;

/// A target f = sum_j a_j k(z_j, .) on the ball of radius 1 in R^d, or 0, observed with two-valued noise.
struct Problem {
  std::shared_ptr<Operator> op;
  std::int64_t dim = 2;
  Tensor centres, coefficients;  ///< [m, d], [m, 1]; undefined: the target is 0
  double noise = 1;              ///< y = f(x) +- noise, equally likely

  Tensor target(const Tensor& x) const {
    if (!centres.defined()) return at::zeros({x.size(0), 1}, at::kDouble);
    return at::matmul(op->scores(x, centres), coefficients);
  }
  /// ||f||^2 in the kernel's RKHS.
  double norm2() const {
    if (!centres.defined()) return 0;
    return at::matmul(coefficients.t(), at::matmul(kernels::gram(*op, centres), coefficients)).item<double>();
  }
  /// rows uniform on the unit ball
  Tensor sample(std::int64_t rows, const at::Generator& g) const {
    Tensor x = kernels::normals({rows, dim}, g);
    x /= x.norm(2, {1}, true);
    return x * kernels::uniforms({rows, 1}, g).pow(1.0 / static_cast<double>(dim));
  }
};

/// E |f - f_lambda|^2 in L2 of the sampling distribution: averaged over `designs` draws of n inputs, exactly over the noise (the estimator is linear
/// in y), and over the distribution by `test` further points.
inline double error(const Problem& problem, std::int64_t n, double lambda, std::int64_t designs, const at::Generator& g,
                    std::int64_t test = 400) {
  double sum = 0;
  for (std::int64_t i = 0; i < designs; ++i) {
    const Tensor x = problem.sample(n, g), z = problem.sample(test, g);
    const Tensor k = kernels::gram(*problem.op, x);
    const Tensor system = 0.5 * (k + k.t()) + lambda * static_cast<double>(n) * at::eye(n, at::kDouble);
    const Tensor across = problem.op->scores(z, x);
    const Tensor smoother = at::linalg_solve(system, across.t()).t();  // [test, n]: f_lambda(z) = smoother y
    const Tensor bias = at::matmul(smoother, problem.target(x)) - problem.target(z);
    sum += (bias.square().mean() + problem.noise * problem.noise * smoother.square().sum(1).mean()).item<double>();
  }
  return sum / static_cast<double>(designs);
}

}  // namespace yatlab::claims::ridge
