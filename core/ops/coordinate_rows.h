#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace yatlab {

/// What is done with the coordinates of pairs: x [b, 1, d], w [1, n, d], parameters of no dimensions -> [b, n]. Of tensor operations that are
/// differentiable twice; called from any thread, as often as there are tiles, in the forward pass and in each backward pass.
using CoordinateRule = std::function<at::Tensor(const at::Tensor& x, const at::Tensor& w, const std::vector<at::Tensor>& parameters)>;

/// The rule for all pairs of rows: x [..., B, d], w [..., n, d] (leading dimensions broadcast), floating and of one type -> [..., B, n].
/// `parameters`: of one element each, or of one for each of the leading dimensions ([S, 1, 1] for w [S, n, d]). Pairs are taken a tile at a time,
/// and their coordinates are taken again in the backward pass: beside scores and rows no more than tiles of `kCoordinateTile` numbers are held,
/// in second derivatives too. Differentiable twice.
at::Tensor over_coordinates(const CoordinateRule& rule, const at::Tensor& x, const at::Tensor& w,
                            const std::vector<at::Tensor>& parameters);

/// Coordinates of pairs that are held at once.
constexpr std::int64_t kCoordinateTile = 1 << 18;

}  // namespace yatlab
