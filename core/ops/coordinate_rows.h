#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace yatlab {

/// A function of the coordinates of pairs: x [b, 1, d], w [1, n, d], 0-dimensional parameters -> [b, n]. It must consist of tensor operations that
/// are differentiable twice. It is called from any thread, once per tile, in the forward pass and in each backward pass.
using CoordinateRule = std::function<at::Tensor(const at::Tensor& x, const at::Tensor& w, const std::vector<at::Tensor>& parameters)>;

/// Applies the rule to all pairs of rows: x [..., B, d], w [..., n, d] (leading dimensions broadcast), floating point, of one type -> [..., B, n].
/// `parameters`: of one element each, or one per leading dimension ([S, 1, 1] for w [S, n, d]). Pairs are computed tile by tile and recomputed in the
/// backward pass. Besides scores and rows, only tiles of `kCoordinateTile` numbers are in memory, for second derivatives too. Differentiable twice.
at::Tensor over_coordinates(const CoordinateRule& rule, const at::Tensor& x, const at::Tensor& w,
                            const std::vector<at::Tensor>& parameters);

/// Coordinates of pairs in memory at once.
constexpr std::int64_t kCoordinateTile = 1 << 18;

}  // namespace yatlab
