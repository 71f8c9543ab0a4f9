#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace yatlab {

/// A sparse CSR tensor as plain pointers; valid as long as the tensor it was taken from.
/// Row r holds (columns[i], values[i]) for i in [starts[r], starts[r + 1]), columns ascending.
struct SparseRows {
  const std::int64_t* starts = nullptr;  ///< rows + 1
  const std::int64_t* columns = nullptr;
  const float* values = nullptr;
  std::int64_t rows = 0, width = 0;

  std::int64_t entries() const { return starts[rows] - starts[0]; }
  std::int64_t length(std::int64_t row) const { return starts[row + 1] - starts[row]; }
};

/// The rows of a CSR tensor [N, F] with int64 indices and float32 values on the CPU. An internal error
/// for any other tensor.
SparseRows sparse_rows(const at::Tensor& csr);

/// True for tensors of LibTorch's CSR layout.
bool is_sparse_rows(const at::Tensor& tensor);

/// A CSR tensor over the three given tensors (starts [N + 1], columns and values [entries]), which are
/// not checked: the caller guarantees ascending columns in [0, width).
at::Tensor make_sparse_rows(const at::Tensor& starts, const at::Tensor& columns, const at::Tensor& values, std::int64_t width);

/// The given rows of a CSR tensor, in the given order; an independent tensor.
at::Tensor select_sparse_rows(const at::Tensor& csr, const std::vector<std::int64_t>& rows);

/// Rows [begin, begin + count). Shares columns and values with `csr`.
at::Tensor narrow_sparse_rows(const at::Tensor& csr, std::int64_t begin, std::int64_t count);

/// The concatenated rows of one or more CSR tensors of the same width; an independent tensor.
at::Tensor concatenate_sparse_rows(const std::vector<at::Tensor>& parts);

/// Divides every row by its Euclidean norm; empty and zero rows stay unchanged.
at::Tensor normalize_sparse_rows(const at::Tensor& csr);

/// How many rows have an entry in each column: [F] int64.
at::Tensor column_counts(const at::Tensor& csr);

}  // namespace yatlab
