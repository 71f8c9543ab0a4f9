// Small CSR tensors for tests.
#pragma once

#include <ATen/ATen.h>

#include "core/data/sparse_rows.h"

namespace yatlab::testing {

/// The non-zeros of a dense matrix.
inline at::Tensor csr_of(const at::Tensor& dense) {
  std::vector<std::int64_t> starts{0}, columns;
  std::vector<float> values;
  const at::Tensor d = dense.to(at::kFloat).contiguous();
  const auto read = d.accessor<float, 2>();
  for (std::int64_t r = 0; r < d.size(0); ++r) {
    for (std::int64_t c = 0; c < d.size(1); ++c) {
      if (read[r][c] == 0) continue;
      columns.push_back(c);
      values.push_back(read[r][c]);
    }
    starts.push_back(static_cast<std::int64_t>(columns.size()));
  }
  return make_sparse_rows(at::tensor(starts, at::kLong), at::tensor(columns, at::kLong), at::tensor(values, at::kFloat), d.size(1));
}

/// [rows, columns] with about a `share` of non-zeros, all different; from the global generator.
inline at::Tensor random_sparse(std::int64_t rows, std::int64_t columns, double share) {
  return at::randn({rows, columns}) * (at::rand({rows, columns}) < share);
}

/// `rows` label sets, each of about a `share` of the labels, as ones.
inline at::Tensor random_labels(std::int64_t rows, std::int64_t labels, double share) {
  return (at::rand({rows, labels}) < share).to(at::kFloat);
}

}  // namespace yatlab::testing
