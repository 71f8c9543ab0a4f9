#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/data/dataset.h"

namespace yatlab {

/// Options of every sparse set: the number of rows, and how many of them are held out.
struct SparseShaping {
  std::optional<std::int64_t> limit, test_limit;
  double validation = 0;

  static void declare(Fields& f, SparseShaping& p);
};

/// Cuts "train" and "test" (inputs and targets CSR) to the first `limit` rows and moves `validation` training rows,
/// drawn by `seed`, to a split "validation". Rows keep their order. Throws a config error when
/// nothing would be left, or when the set already has a split "validation".
void shape_sparse_splits(std::map<std::string, Split>& splits, const SparseShaping& shaping, std::uint64_t seed);

}  // namespace yatlab
