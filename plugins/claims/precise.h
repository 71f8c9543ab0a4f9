#pragma once

#include <ATen/core/Tensor.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <utility>
#include <vector>

/// The product's Gram matrix beyond double precision: there the sign of an eigenvalue of 1e-20 of the largest is still reliable.
namespace yatlab::claims::kernels {

/// 113 bits: about 34 digits.
using Quad = boost::multiprecision::number<boost::multiprecision::cpp_bin_float_quad::backend_type, boost::multiprecision::et_off>;
using QuadMatrix = std::vector<std::vector<Quad>>;

/// (x_i.x_j + b)^2 / (|x_i - x_j|^2 + epsilon) of the rows of x [n, d], whose doubles are taken as exact.
inline QuadMatrix quad_gram(const at::Tensor& x, double epsilon, double bias = 0) {
  const auto n = static_cast<std::size_t>(x.size(0)), d = static_cast<std::size_t>(x.size(1));
  const at::Tensor c = x.contiguous();
  const double* p = c.data_ptr<double>();
  QuadMatrix k(n, std::vector<Quad>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Quad dot = bias, distance = 0;
      for (std::size_t a = 0; a < d; ++a) {
        const Quad u = p[i * d + a], v = p[j * d + a];
        dot += u * v;
        distance += (u - v) * (u - v);
      }
      k[i][j] = k[j][i] = dot * dot / (distance + Quad(epsilon));
    }
  }
  return k;
}

/// {smallest, largest} eigenvalue of a symmetric matrix, by Jacobi's rotations.
inline std::pair<Quad, Quad> extreme_eigenvalues(QuadMatrix a) {
  const std::size_t n = a.size();
  for (int sweep = 0; sweep < 40; ++sweep) {
    Quad off = 0, all = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        all += a[i][j] * a[i][j];
        if (i != j) off += a[i][j] * a[i][j];
      }
    }
    if (off <= all * Quad(1e-70)) break;
    for (std::size_t p = 0; p + 1 < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p][q] == 0) continue;
        const Quad theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        Quad t = 1 / (abs(theta) + sqrt(theta * theta + 1));
        if (theta < 0) t = -t;
        const Quad c = 1 / sqrt(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const Quad u = a[k][p], v = a[k][q];
          a[k][p] = c * u - s * v;
          a[k][q] = s * u + c * v;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const Quad u = a[p][k], v = a[q][k];
          a[p][k] = c * u - s * v;
          a[q][k] = s * u + c * v;
        }
      }
    }
  }
  Quad low = a[0][0], high = a[0][0];
  for (std::size_t i = 1; i < n; ++i) {
    if (a[i][i] < low) low = a[i][i];
    if (a[i][i] > high) high = a[i][i];
  }
  return {low, high};
}

}  // namespace yatlab::claims::kernels
