#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <set>

#include "catch.h"
#include "core/data/batches.h"
#include "core/data/sparse_rows.h"
#include "plugins/extreme/datasets/sparse_shaping.h"
#include "train/sparse.h"

namespace yatlab {

using testing::csr_of;
using testing::random_sparse;

TEST_CASE("sparse batches hold the rows of dense batches, in the same order", "[batches]") {
  at::manual_seed(41);
  at::Tensor words = random_sparse(23, 11, 0.3), labels = random_sparse(23, 4, 0.5);
  words[7].zero_();  // rows without entries
  labels[7].zero_();
  labels[22].zero_();
  Batches dense(words, labels, 5), sparse(csr_of(words), csr_of(labels), 5);
  REQUIRE(sparse.count() == 5);
  for (const std::uint64_t seed : {0, 1, 2}) {
    dense.start_epoch(seed > 0, seed);
    sparse.start_epoch(seed > 0, seed);
    for (const std::int64_t i : {4, 0, 2, 1, 3}) {  // in any order
      const Batch want = dense.get(i), got = sparse.get(i);
      REQUIRE(is_sparse_rows(got.inputs));
      CHECK(got.inputs.sizes() == want.inputs.sizes());
      CHECK(at::equal(got.inputs.to_dense(), want.inputs));
      CHECK(at::equal(got.targets.to_dense(), want.targets));
    }
  }
}

TEST_CASE("sparse batches are copies that the caller may keep", "[batches]") {
  at::manual_seed(42);
  Batches batches(csr_of(random_sparse(8, 5, 0.9)), csr_of(random_sparse(8, 2, 0.9)), 4);
  batches.start_epoch(true, 1);
  const at::Tensor first = batches.get(0).inputs, before = first.to_dense();
  batches.get(1);
  CHECK(at::equal(first.to_dense(), before));
}

TEST_CASE("held-out rows are a seeded draw and both parts keep the file's order", "[shaping]") {
  constexpr std::int64_t kRows = 200;
  const auto held_out = [&](std::uint64_t seed) {
    const at::Tensor numbers = at::arange(1, kRows + 1, at::kFloat).view({kRows, 1});
    std::map<std::string, Split> splits;
    splits["train"] = {csr_of(numbers), csr_of(at::ones({kRows, 1}))};
    SparseShaping shaping;
    shaping.validation = 0.3;
    shape_sparse_splits(splits, shaping, seed);
    std::vector<float> validation, all;
    for (const char* name : {"train", "validation"}) {
      const at::Tensor values = splits.at(name).inputs.values();
      const std::vector<float> rows(values.data_ptr<float>(), values.data_ptr<float>() + values.numel());
      INFO(name);
      CHECK(std::is_sorted(rows.begin(), rows.end()));
      CHECK(splits.at(name).targets.size(0) == static_cast<std::int64_t>(rows.size()));
      all.insert(all.end(), rows.begin(), rows.end());
      validation = rows;
    }
    CHECK(validation.size() == 60);
    CHECK(std::set<float>(all.begin(), all.end()).size() == kRows);
    return validation;
  };
  CHECK(held_out(1) == held_out(1));
  CHECK(held_out(1) != held_out(2));
}

TEST_CASE("row_range slices dense and sparse data in the same way", "[batches]") {
  at::manual_seed(43);
  const at::Tensor data = random_sparse(9, 6, 0.4);
  for (const std::int64_t begin : {0, 3, 9}) {
    for (const std::int64_t count : {0, 1, 4}) {
      if (begin + count > 9) continue;
      const at::Tensor part = row_range(csr_of(data), begin, count);
      CHECK(part.sizes() == at::IntArrayRef({count, 6}));
      CHECK(at::equal(part.to_dense(), row_range(data, begin, count)));
    }
  }
}

}  // namespace yatlab
