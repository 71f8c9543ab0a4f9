#include "plugins/language/feature_maps/random_features.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace yatlab {

using at::Tensor;

Tensor normal_projections(std::int64_t heads, std::int64_t width, std::int64_t n, bool orthogonal, at::Generator generator) {
  const auto wide = at::TensorOptions().dtype(at::kDouble);
  if (!orthogonal) return at::randn({heads, width, n}, generator, wide).to(at::kFloat);
  std::vector<Tensor> groups;
  for (std::int64_t done = 0; done < n; done += width) {
    const auto [q, r] = at::linalg_qr(at::randn({heads, width, width}, generator, wide));
    // Multiplied by the signs of r's diagonal, q is uniform among all rotations.
    const Tensor directions = q * at::diagonal(r, 0, -2, -1).sign().unsqueeze(-2);
    const Tensor lengths = at::randn({heads, width, width}, generator, wide).norm(2, -2, true);
    groups.push_back((directions * lengths).narrow(-1, 0, std::min(width, n - done)));
  }
  return at::cat(groups, -1).to(at::kFloat);
}

std::pair<Tensor, Tensor> gauss_laguerre(std::int64_t n) {
  // Golub and Welsch: eigenvalues of the Jacobi matrix of Laguerre polynomials, and squares of its eigenvectors' first components.
  const Tensor i = at::arange(n, at::kDouble);
  const Tensor side = at::diag(i.narrow(0, 1, n - 1), 1);
  const auto [nodes, vectors] = at::linalg_eigh(at::diag(2 * i + 1) + side + side.t());
  return {nodes, vectors[0].pow(2)};
}

}  // namespace yatlab
