#include "core/data/sparse_rows.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace yatlab {
namespace {

#if TORCH_VERSION_MAJOR >= 2
using HandlerGuard = c10::WarningUtils::WarningHandlerGuard;
#else
using HandlerGuard = c10::Warning::WarningHandlerGuard;
#endif

// Swallows warnings, whatever arguments this LibTorch passes.
template <class Process>
class SilentWarningHandler;
template <class... Arguments>
class SilentWarningHandler<void (c10::WarningHandler::*)(Arguments...)> final : public c10::WarningHandler {
  void process(Arguments...) override {}
};

// LibTorch warns once that CSR tensors are in beta, which does not concern users of an experiment.
void suppress_beta_warning() {
  static const bool done = [] {
    SilentWarningHandler<decltype(&c10::WarningHandler::process)> silence;
    const HandlerGuard guard(&silence);
    at::_sparse_csr_tensor_unsafe(at::zeros({1}, at::kLong), at::empty({0}, at::kLong), at::empty({0}), {0, 1},
                                  at::TensorOptions().layout(at::kSparseCsr));
    return true;
  }();
  (void)done;
}

}  // namespace

bool is_sparse_rows(const at::Tensor& tensor) { return tensor.defined() && tensor.layout() == at::kSparseCsr; }

SparseRows sparse_rows(const at::Tensor& csr) {
  if (!is_sparse_rows(csr) || csr.dim() != 2 || !csr.is_cpu() || csr.scalar_type() != at::kFloat) {
    throw Error(ErrorKind::kInternal, "expected a float32 CSR matrix on the CPU");
  }
  const auto starts = csr.crow_indices(), columns = csr.col_indices(), values = csr.values();
  if (starts.scalar_type() != at::kLong || columns.scalar_type() != at::kLong || !starts.is_contiguous() || !columns.is_contiguous() ||
      !values.is_contiguous()) {
    throw Error(ErrorKind::kInternal, "expected a CSR matrix with contiguous int64 indices");
  }
  return {starts.data_ptr<std::int64_t>(), columns.data_ptr<std::int64_t>(), values.data_ptr<float>(), csr.size(0), csr.size(1)};
}

at::Tensor make_sparse_rows(const at::Tensor& starts, const at::Tensor& columns, const at::Tensor& values, std::int64_t width) {
  suppress_beta_warning();
  return at::_sparse_csr_tensor_unsafe(starts, columns, values, {starts.size(0) - 1, width}, values.options().layout(at::kSparseCsr));
}

at::Tensor select_sparse_rows(const at::Tensor& csr, const std::vector<std::int64_t>& rows) {
  const auto from = sparse_rows(csr);
  auto starts = at::empty({static_cast<std::int64_t>(rows.size()) + 1}, at::kLong);
  auto* start = starts.data_ptr<std::int64_t>();
  start[0] = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= from.rows) {
      throw Error(ErrorKind::kInternal, fmt::format("row {} is out of range for a matrix with {} rows", rows[i], from.rows));
    }
    start[i + 1] = start[i] + from.length(rows[i]);
  }
  const auto entries = start[rows.size()];
  auto columns = at::empty({entries}, at::kLong), values = at::empty({entries}, at::kFloat);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto begin = from.starts[rows[i]], length = from.length(rows[i]);
    std::copy_n(from.columns + begin, length, columns.data_ptr<std::int64_t>() + start[i]);
    std::copy_n(from.values + begin, length, values.data_ptr<float>() + start[i]);
  }
  return make_sparse_rows(starts, columns, values, from.width);
}

at::Tensor narrow_sparse_rows(const at::Tensor& csr, std::int64_t begin, std::int64_t count) {
  const auto from = sparse_rows(csr);
  if (begin < 0 || count < 0 || begin + count > from.rows) {
    throw Error(ErrorKind::kInternal, fmt::format("rows {} to {} are out of range for a matrix with {}", begin, begin + count, from.rows));
  }
  const auto first = from.starts[begin], entries = from.starts[begin + count] - first;
  return make_sparse_rows(csr.crow_indices().narrow(0, begin, count + 1) - first, csr.col_indices().narrow(0, first, entries),
                          csr.values().narrow(0, first, entries), from.width);
}

at::Tensor concatenate_sparse_rows(const std::vector<at::Tensor>& parts) {
  std::vector<at::Tensor> starts{at::zeros({1}, at::kLong)}, columns, values;
  const auto width = parts.front().size(1);
  std::int64_t entries = 0;
  for (const auto& part : parts) {
    const auto from = sparse_rows(part);
    if (from.width != width)
      throw Error(ErrorKind::kInternal, fmt::format("rows of width {} cannot follow rows of width {}", from.width, width));
    starts.push_back(part.crow_indices().narrow(0, 1, from.rows) + (entries - from.starts[0]));
    columns.push_back(part.col_indices());
    values.push_back(part.values());
    entries += from.entries();
  }
  return make_sparse_rows(at::cat(starts), at::cat(columns), at::cat(values), width);
}

at::Tensor normalize_sparse_rows(const at::Tensor& csr) {
  const auto from = sparse_rows(csr);
  auto values = csr.values().clone();
  auto* out = values.data_ptr<float>();
  for (std::int64_t r = 0; r < from.rows; ++r) {
    double square = 0;
    for (auto i = from.starts[r]; i < from.starts[r + 1]; ++i) square += double{from.values[i]} * from.values[i];
    if (square == 0) continue;
    const double inverse = 1 / std::sqrt(square);
    for (auto i = from.starts[r]; i < from.starts[r + 1]; ++i) out[i] = static_cast<float>(from.values[i] * inverse);
  }
  return make_sparse_rows(csr.crow_indices(), csr.col_indices(), values, from.width);
}

at::Tensor column_counts(const at::Tensor& csr) {
  const auto from = sparse_rows(csr);
  auto counts = at::zeros({from.width}, at::kLong);
  auto* count = counts.data_ptr<std::int64_t>();
  for (auto i = from.starts[0]; i < from.starts[from.rows]; ++i) ++count[from.columns[i]];
  return counts;
}

}  // namespace yatlab
