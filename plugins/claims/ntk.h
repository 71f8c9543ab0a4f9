#pragma once

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/measure/claim.h"
#include "core/model/ntk.h"
#include "plugins/claims/gram.h"

/// Tangent kernels of infinitely wide layers, shared by the claims about them.
namespace yatlab::claims::tangent {

using at::Tensor;
using kernels::generator_of;
using kernels::normals;

/// The distributions of initial weights: always isotropic, as the paper assumes.
enum class Start { kNormal, kWideNormal, kScaledNormal, kSphere };
inline constexpr Start kStarts[] = {Start::kNormal, Start::kWideNormal, Start::kScaledNormal, Start::kSphere};
inline const char* to_string(Start start) {
  switch (start) {
    case Start::kNormal:
      return "w ~ N(0, I)";
    case Start::kWideNormal:
      return "w ~ N(0, 9 I)";
    case Start::kScaledNormal:
      return "w ~ N(0, I/d)";
    case Start::kSphere:
      break;
  }
  return "w uniform on the unit sphere";
}

/// Weights in R^d relative to a plane: the two coordinates in it and the length of the rest, [count, 3]. For rotation-invariant operators, scores
/// with inputs (a, b, 0) and inner products of gradients are those in R^d.
inline Tensor draw_beside_plane(Start start, std::int64_t d, std::int64_t count, const at::Generator& g) {
  Tensor w = normals({count, 3}, g);
  const Tensor shape = at::full({count}, 0.5 * static_cast<double>(d - 2), at::kDouble);
  if (d == 2) {
    w.select(1, 2).zero_();
  } else {  // chi^2 with d - 2 degrees of freedom is 2 Gamma((d - 2) / 2)
    w.select(1, 2).copy_((2 * at::_standard_gamma(shape, g)).sqrt());
  }
  if (start == Start::kWideNormal) w *= 3;
  if (start == Start::kScaledNormal) w /= std::sqrt(static_cast<double>(d));
  if (start == Start::kSphere) w /= w.norm(2, {1}, true);
  return w;
}

/// Rows (length cos angle, length sin angle, 0).
inline Tensor in_plane(const std::vector<std::pair<double, double>>& length_and_angle) {
  std::vector<double> v;
  for (const auto& [length, angle] : length_and_angle) {
    // cos(pi/2) is not 0 in double
    const double c = std::abs(angle - M_PI / 2) < 1e-15 ? 0 : std::cos(angle);
    v.insert(v.end(), {length * c, length * std::sin(angle), 0});
  }
  return at::tensor(v, at::kDouble).view({-1, 3});
}

struct Number {
  double value = 0, error = 0;
};
inline Number entry(const KernelEstimate& k, std::int64_t i, std::int64_t j) {
  return {k.mean[i][j].item<double>(), k.error[i][j].item<double>()};
}

/// The limiting kernel between unit vectors at several angles: x_0 at 0, x_j at angles[j].
inline ExpectedNtk at_angles(const UnitFunction& units, const std::vector<double>& angles, Start start, std::int64_t d,
                             std::int64_t samples, std::uint64_t seed) {
  auto g = generator_of(seed + static_cast<std::uint64_t>(d) * 4 + static_cast<std::uint64_t>(start));
  std::vector<std::pair<double, double>> points;
  for (const double a : angles) points.emplace_back(1, a);
  constexpr std::int64_t kBatches = 32;
  return expected_ntk(
      units, in_plane(points), [&](std::int64_t n) { return draw_beside_plane(start, d, n, g); }, kBatches,
      std::max<std::int64_t>(8, samples / kBatches));
}

}  // namespace yatlab::claims::tangent
