#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>

namespace yatlab {

/// Normal numbers [heads, width, n]; `orthogonal`: columns in groups of `width` are orthogonal, each with the length of a normal vector.
at::Tensor normal_projections(std::int64_t heads, std::int64_t width, std::int64_t n, bool orthogonal, at::Generator generator);

/// Nodes t and weights a of Gauss-Laguerre quadrature with n nodes, [n] each, double: the integral of e^-t f(t) over t >= 0 is about
/// sum a_r f(t_r), exact for polynomials of degree below 2n.
std::pair<at::Tensor, at::Tensor> gauss_laguerre(std::int64_t n);

}  // namespace yatlab
