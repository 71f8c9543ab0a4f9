#include "plugins/extreme/datasets/sparse_shaping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/data/permutation.h"
#include "core/data/sparse_rows.h"
#include "plugins/kernels/datasets/shaping.h"

namespace yatlab {
namespace {

void cut_sparse(Split& split, std::int64_t size) {
  if (split.size() <= size) return;
  split = {narrow_sparse_rows(split.inputs, 0, size), narrow_sparse_rows(split.targets, 0, size)};
}

Split pick_sparse(const Split& from, const std::vector<std::int64_t>& rows) {
  return {select_sparse_rows(from.inputs, rows), select_sparse_rows(from.targets, rows)};
}

}  // namespace

void SparseShaping::declare(Fields& f, SparseShaping& p) {
  f.field("limit", p.limit, "number of training rows to use, from the first; null: all").min(1);
  f.field("test_limit", p.test_limit, "number of test rows to use, from the first; null: all").min(1);
  f.field("validation", p.validation,
          "training rows to hold out as split 'validation', drawn by the seed: a share up to 0.9, or a number of rows")
      .non_negative();
}

void shape_sparse_splits(std::map<std::string, Split>& splits, const SparseShaping& shaping, std::uint64_t seed) {
  Split& train = splits.at("train");
  if (shaping.limit) cut_sparse(train, *shaping.limit);
  if (shaping.test_limit) cut_sparse(splits.at("test"), *shaping.test_limit);
  if (shaping.validation == 0) return;
  if (splits.count("validation")) {
    throw config_error(fmt::format("'dataset.validation' = {}, but the data set has its own validation split", shaping.validation), {}, {},
                       "use dataset.validation=0");
  }
  const auto n = train.size();
  const auto held = held_out(shaping.validation, n, "row");
  auto rows = permutation(n, derive_seed(seed, "validation"));
  const auto middle = rows.begin() + (n - held);
  std::sort(rows.begin(), middle);
  std::sort(middle, rows.end());
  splits["validation"] = pick_sparse(train, {middle, rows.end()});
  train = pick_sparse(train, {rows.begin(), middle});
}

}  // namespace yatlab
