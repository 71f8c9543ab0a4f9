#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/model/architecture.h"

namespace yatlab {

// The neural tangent kernel K(x, x') = <grad f(x), grad f(x')>, with gradients with respect to all parameters: of a given model, of a hidden layer
// with infinitely many units, and in closed form for ReLU.

/// d f_output(x_i) / d parameters for every sample: inputs [N, ...] -> [N, P] in the type of the model, P the number of trainable entries. The inputs
/// have that type too. Parameters that the output does not use have gradient 0.
Tensor parameter_gradients(Architecture& model, const Tensor& inputs, std::int64_t output = 0);

/// The model's tangent kernel between all inputs: [N, N], double. For one output, or summed over all of them. Keeps N x P gradients in memory; for
/// eigenvalues below 1e-7 of the largest, pass a model and inputs in double.
Tensor empirical_ntk(Architecture& model, const Tensor& inputs, std::optional<std::int64_t> output = {});

/// Descending eigenvalues of a Gram matrix [N, N] divided by N: those of the kernel's integral operator as N grows. Eigenvalues that are negative
/// from rounding become 0.
std::vector<double> kernel_spectrum(const Tensor& gram);

/// lambda_k ~ k^-exponent by least squares through log-log points k = first..last (counted from 1).
struct DecayFit {
  double exponent = 0, scale = 0;  ///< lambda_k ~ scale * k^-exponent
  double low = 0, high = 0;        ///< 95 % confidence interval of the exponent, residuals assumed independent
  double r2 = 0;
  std::int64_t first = 0, last = 0;  ///< the ranks that were used
};
/// Fits ranks `first`..`last`, or fewer if eigenvalues fall to `floor` of the largest before `last`. Throws a data error when fewer than 3 ranks are
/// left.
DecayFit fit_decay(const std::vector<double>& spectrum, std::int64_t first, std::int64_t last, double floor = 1e-11);

/// The domains on which kernels are compared: the unit sphere S^(d-1), the unit ball and the cube [-1, 1]^d.
enum class Domain { kSphere, kBall, kCube };
/// n quasi-random points of R^d, evenly spread over the domain: [n, d], double, deterministic. An additive recurrence with Roberts's generalised
/// golden ratio; on the circle equal angles.
Tensor domain_points(Domain domain, std::int64_t n, std::int64_t d);

/// The units of a hidden layer: x [..., B, d], w [..., n, d] (leading dimensions broadcast) -> [..., B, n].
using UnitFunction = std::function<Tensor(const Tensor& x, const Tensor& w)>;
UnitFunction operator_units(std::shared_ptr<const Operator> op);
/// max(0, x.w)
UnitFunction relu_units();

/// The output of every unit for every input, and its gradient with respect to the unit's weights.
struct UnitGradients {
  Tensor values;     ///< [N, S]
  Tensor gradients;  ///< [N, S, d]
};
/// x: [N, d], w: [S, d], by autograd.
UnitGradients unit_gradients(const UnitFunction& units, const Tensor& x, const Tensor& w);

struct KernelEstimate {
  Tensor mean, error;  ///< [N, N] each; error: the standard error of the mean
};
/// The two terms of prop:ntk and their sum.
struct ExpectedNtk {
  KernelEstimate features;   ///< E_w[u(w, x) u(w, x')]
  KernelEstimate gradients;  ///< E_w[grad_w u(w, x) . grad_w u(w, x')]
  KernelEstimate total;
};
/// The tangent kernel of f(x) = m^(-1/2) sum_i a_i u(w_i, x), E a_i^2 = 1, as m grows: the formula of prop:ntk, estimated from `batches` x `batch`
/// draws of w. x: [N, d]; draw: count -> [count, d]. Errors are estimated from the spread between batches.
ExpectedNtk expected_ntk(const UnitFunction& units, const Tensor& x, const std::function<Tensor(std::int64_t)>& draw, std::int64_t batches,
                         std::int64_t batch);

/// Cho and Saul's arc-cosine kernels, 2 E_w[(w.x)^order (w.y)^order; w.x > 0, w.y > 0] over w ~ N(0, I). order 0:
/// 1 - theta / pi; order 1: |x||y| (sin theta + (pi - theta) cos theta) / pi. x: [N, d], y: [M, d] -> [N, M].
Tensor arc_cosine_kernel(int order, const Tensor& x, const Tensor& y);

/// The initialization of a network factor * sum_i a_i max(0, w_i.x [+ b_i]) [+ c]: w_i ~ N(0, weight_std^2 I), E a_i^2 = readout_std^2, biases 0.
struct ReluNetwork {
  std::int64_t width = 1;
  double weight_std = 1, readout_std = 1;
  double factor = 1;  ///< 1 / sqrt(width): the tangent parametrisation
  bool bias = false;  ///< units have trainable biases
  bool readout_bias = false;
};
/// The expected tangent kernel of that network, exact at every width (the limit, where there is one):
///   factor^2 * width * (weight_std^2 / 2 * arc-cosine 1 + readout_std^2 / 2 * arc-cosine 0 * (x.y [+ 1])) [+ 1]
Tensor relu_ntk(const Tensor& x, const Tensor& y, const ReluNetwork& network);

}  // namespace yatlab
