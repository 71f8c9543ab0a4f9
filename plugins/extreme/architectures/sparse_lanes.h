#pragma once

#include <cstdint>
#include <vector>

#include "core/data/sparse_rows.h"

namespace yatlab {

constexpr std::int64_t kLanes = 16;

/// Sixteen numbers that undergo the same arithmetic: one register where the CPU has wide ones. One pass over a sparse
/// matrix serves sixteen dense vectors, which share the cost of reading its indices.
struct alignas(64) Lanes {
  float v[kLanes];

  float& operator[](std::int64_t lane) { return v[lane]; }
  float operator[](std::int64_t lane) const { return v[lane]; }
};

/// Dense matrix with sixteen columns.
using LaneMatrix = std::vector<Lanes>;

/// out[i] = sum over the entries (c, v) of row rows[i] of v * dense[c], for i = 0 .. rows.size() - 1.
void multiply_lanes(const SparseRows& x, const std::vector<std::int64_t>& rows, const LaneMatrix& dense, LaneMatrix& out);
/// The same for all rows.
void multiply_lanes(const SparseRows& x, const LaneMatrix& dense, LaneMatrix& out);

/// out[c] += v * in[i] for the entries (c, v) of row rows[i]: the transposed product.
void add_transposed_lanes(const SparseRows& x, const std::vector<std::int64_t>& rows, const LaneMatrix& in, LaneMatrix& out);

}  // namespace yatlab
