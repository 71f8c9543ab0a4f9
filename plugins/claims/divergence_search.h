#pragma once

#include <algorithm>

#include "plugins/claims/simplex.h"

namespace yatlab::claims::simplex {

/// The largest (|p - q|_1^2 / 2) / KL(p||q) found by gradient ascent over pairs with |p - q|_1 >= 1e-5. At most 1 by Pinsker's inequality, which
/// implies that KL is 0 only at p = q. A KL below 0 would count as infinitely large.
inline double largest_pinsker_ratio(const ClaimContext& context) {
  auto g = kernels::generator_of(context.seed);
  double largest = 0;
  for (const std::int64_t n : {2, 3, 10, 64}) {
    context.tick(0.5 + static_cast<double>(n) / 200, "ascent over pairs of distributions");
    const auto ratio = [](const Tensor& z) {
      const Tensor both = from_free(z);
      const Tensor p = both.select(1, 0), q = both.select(1, 1);
      const Tensor apart = (p - q).abs().sum(-1), kl = divergence(p, q);
      const Tensor value = 0.5 * apart * apart / kl.clamp_min(1e-300);
      return at::where(apart >= 1e-5, value, at::zeros({}, value.options()));
    };
    const auto restarts = context.scaled(200, 16);
    Tensor starts = kernels::normals({restarts, 2, n}, g);
    // Half of the pairs start close together, where KL is smallest.
    const auto half = restarts / 2;
    starts.slice(0, 0, half).select(1, 1).copy_(starts.slice(0, 0, half).select(1, 0) * (1 + 1e-3 * kernels::normals({half, n}, g)));
    SearchOptions o;
    o.steps = context.scaled(200, 30);
    o.refinements = context.scaled(200, 30);
    o.seed = context.seed;
    largest = std::max(largest, maximise(ratio, starts, {}, o).value);
  }
  return largest;
}

}  // namespace yatlab::claims::simplex
