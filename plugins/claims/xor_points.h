#pragma once

#include "plugins/claims/geometry.h"

namespace yatlab::claims {

/// (0,0), (0,1), (1,0), (1,1)
inline Tensor xor_points() { return at::tensor({0., 0., 0., 1., 1., 0., 1., 1.}, at::kDouble).view({4, 2}); }
/// The prototype of thm:xor-solution, once per point.
inline Tensor xor_weights() { return row({1, -1}).expand({4, 2}); }

}  // namespace yatlab::claims
