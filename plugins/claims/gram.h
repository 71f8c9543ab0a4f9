#pragma once

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "core/ops/operator.h"

/// Point sets, Gram matrices and their eigenvalues, for the claims about kernels.
namespace yatlab::claims::kernels {

using at::Tensor;

inline constexpr double kEps = std::numeric_limits<double>::epsilon();

inline at::Generator generator_of(std::uint64_t seed) { return at::make_generator<at::CPUGeneratorImpl>(seed); }

inline Tensor normals(at::IntArrayRef sizes, const at::Generator& g) { return at::randn(sizes, g, at::kDouble); }
inline Tensor uniforms(at::IntArrayRef sizes, const at::Generator& g) { return at::rand(sizes, g, at::kDouble); }

/// One row vector: [1, d].
inline Tensor vector_of(std::initializer_list<double> v) { return at::tensor(std::vector<double>(v), at::kDouble).unsqueeze(0); }

/// The score of one pair of [1, d] rows.
inline double score(const Operator& op, const Tensor& x, const Tensor& w, const Tensor& bias = {}) {
  return op.scores(x, w, bias).item<double>();
}

/// x: [..., n, d] -> [..., n, n]
inline Tensor gram(const Operator& op, const Tensor& x, const Tensor& bias = {}) { return op.scores(x, x, bias); }

/// Ascending eigenvalues of the symmetric part: [..., n, n] -> [..., n]. Differentiable.
inline Tensor eigenvalues(const Tensor& k) { return at::linalg_eigvalsh(0.5 * (k + k.transpose(-2, -1))); }

/// Smallest eigenvalue divided by the largest magnitude of any: in [-1, 1], negative when not positive semi-definite.
inline Tensor smallest_share(const Tensor& k) {
  const Tensor e = eigenvalues(k);
  return e.select(-1, 0) / e.abs().amax(-1).clamp_min(1e-300);
}

/// The possible effect of rounding on `smallest_share` of an n x n Gram matrix in double: entries have a relative error of up to `entry` machine
/// epsilons (the operator computes distances by the identity until they fall to 1e-4 of the norms). The eigenvalue moves by at most n times the
/// largest of those errors.
inline double share_rounding(std::int64_t n, double entry = 4e4) { return static_cast<double>(n) * entry * kEps; }

/// Families of point sets on which a kernel may fail.
inline const std::vector<std::string>& point_families() {
  static const std::vector<std::string> names = {"random",      "near-duplicate", "duplicate", "collinear",
                                                 "with origin", "antipodal",      "simplex",   "grid line"};
  return names;
}

/// n points in R^d of such a family, in a ball of about the given radius.
inline Tensor points(const std::string& family, std::int64_t n, std::int64_t d, double radius, const at::Generator& g) {
  const double size = radius / std::sqrt(static_cast<double>(d));
  if (family == "near-duplicate" || family == "duplicate") {
    const Tensor base = normals({(n + 2) / 3, d}, g).repeat({3, 1}).slice(0, 0, n);
    const Tensor nearness = at::pow(10.0, -9 * uniforms({n, 1}, g));
    return size * (family == "duplicate" ? base : base + nearness * normals({n, d}, g));
  }
  if (family == "collinear") return radius * normals({n, 1}, g) * normals({1, d}, g) / std::sqrt(static_cast<double>(d));
  if (family == "grid line") {
    return radius * at::linspace(-1, 1, n, at::kDouble).unsqueeze(1) * at::ones({1, d}, at::kDouble) / std::sqrt(static_cast<double>(d));
  }
  Tensor x = size * normals({n, d}, g);
  if (family == "with origin") x[0].zero_();
  if (family == "antipodal") {
    const std::int64_t half = n / 2;
    x.slice(0, half, 2 * half).copy_(-x.slice(0, 0, half));
  }
  if (family == "simplex") {
    x = -uniforms({n, d}, g).clamp_min(1e-300).log();
    x = radius * x / x.sum(1, true);
  }
  return x;
}

}  // namespace yatlab::claims::kernels
