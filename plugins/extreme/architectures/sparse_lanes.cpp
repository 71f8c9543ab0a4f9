#include "plugins/extreme/architectures/sparse_lanes.h"

#include "core/ops/vector_code.h"

namespace yatlab {
namespace {

// One register, or several on a CPU with narrower ones.
using Register = float __attribute__((vector_size(64), may_alias));
static_assert(sizeof(Register) == sizeof(Lanes));

YATLAB_INLINE void row_products(const SparseRows& x, const std::int64_t* rows, std::int64_t count, const Lanes* matrix, Lanes* result) {
  const auto* dense = reinterpret_cast<const Register*>(matrix);
  auto* out = reinterpret_cast<Register*>(result);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto r = rows ? rows[i] : i;
    // Two sums, so that the latency of one addition does not limit the speed.
    Register even{}, odd{};
    auto e = x.starts[r];
    const auto end = x.starts[r + 1];
    for (; e + 1 < end; e += 2) {
      even += x.values[e] * dense[x.columns[e]];
      odd += x.values[e + 1] * dense[x.columns[e + 1]];
    }
    if (e < end) even += x.values[e] * dense[x.columns[e]];
    out[i] = even + odd;
  }
}

YATLAB_INLINE void column_sums(const SparseRows& x, const std::int64_t* rows, std::int64_t count, const Lanes* factors, Lanes* result) {
  const auto* in = reinterpret_cast<const Register*>(factors);
  auto* out = reinterpret_cast<Register*>(result);
  for (std::int64_t i = 0; i < count; ++i) {
    const Register factor = in[i];
    for (auto e = x.starts[rows[i]]; e < x.starts[rows[i] + 1]; ++e) out[x.columns[e]] += x.values[e] * factor;
  }
}

}  // namespace

void multiply_lanes(const SparseRows& x, const std::vector<std::int64_t>& rows, const LaneMatrix& dense, LaneMatrix& out) {
  out.resize(rows.size());
  kernel::vector_code(
      [&]() YATLAB_VECTORS { row_products(x, rows.data(), static_cast<std::int64_t>(rows.size()), dense.data(), out.data()); });
}

void multiply_lanes(const SparseRows& x, const LaneMatrix& dense, LaneMatrix& out) {
  out.resize(static_cast<std::size_t>(x.rows));
  kernel::vector_code([&]() YATLAB_VECTORS { row_products(x, nullptr, x.rows, dense.data(), out.data()); });
}

void add_transposed_lanes(const SparseRows& x, const std::vector<std::int64_t>& rows, const LaneMatrix& in, LaneMatrix& out) {
  kernel::vector_code([&]() YATLAB_VECTORS { column_sums(x, rows.data(), static_cast<std::int64_t>(rows.size()), in.data(), out.data()); });
}

}  // namespace yatlab
