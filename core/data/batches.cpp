#include "core/data/batches.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "core/base/error.h"
#include "core/data/permutation.h"
#include "core/data/sparse_rows.h"

namespace yatlab {
namespace {

at::Tensor contiguous(const at::Tensor& data) { return is_sparse_rows(data) ? data : data.contiguous(); }

at::Tensor buffer_for(const at::Tensor& data, std::int64_t rows) {
  if (is_sparse_rows(data)) return {};  // its batches differ in size
  auto shape = data.sizes().vec();
  shape[0] = rows;
  return at::empty(shape, data.options());
}

}  // namespace

at::Tensor row_range(const at::Tensor& data, std::int64_t begin, std::int64_t count) {
  return is_sparse_rows(data) ? narrow_sparse_rows(data, begin, count) : data.narrow(0, begin, count);
}

Batches::Batches(at::Tensor inputs, at::Tensor targets, std::int64_t batch_size, bool drop_last)
    : inputs_(contiguous(inputs)), targets_(contiguous(targets)), batch_size_(batch_size), samples_(inputs_.size(0)) {
  if (targets_.size(0) != samples_) {
    throw Error(ErrorKind::kInternal, fmt::format("{} inputs, {} targets", samples_, targets_.size(0)));
  }
  count_batches(drop_last);
  input_buffer_ = buffer_for(inputs_, std::min(batch_size, samples_));
  target_buffer_ = buffer_for(targets_, std::min(batch_size, samples_));
}

Batches::Batches(const Split& split, std::int64_t batch_size, bool drop_last, std::optional<at::Device> device)
    : batch_size_(batch_size), samples_(split.size()) {
  if (split.inputs.defined()) {
    *this = Batches(split.inputs, split.targets, batch_size, drop_last);
    rows_ = split.rows;
  } else {
    rows_ = split.rows;
    count_batches(drop_last);
    std::tie(input_buffer_, target_buffer_) = rows_->buffers(std::min(batch_size, samples_));
  }
  device_ = device;
}

void Batches::count_batches(bool drop_last) {
  if (batch_size_ < 1) throw config_error(fmt::format("a batch cannot have {} samples", batch_size_));
  count_ = samples_ / batch_size_ + (!drop_last && samples_ % batch_size_ != 0);
  if (count_ > 0) return;
  throw config_error(
      "an epoch has no batches", {},
      fmt::format("{} samples, batches of {}{}", samples_, batch_size_, drop_last ? ", and the incomplete last one is dropped" : ""),
      "use a smaller batch size");
}

void Batches::start_epoch(bool shuffle, std::uint64_t seed) {
  order_.clear();
  if (!shuffle) return;
  order_ = permutation(samples_, seed);
  if (!rows_ && !inputs_.is_cpu()) device_order_ = at::tensor(order_, at::kLong).to(inputs_.device());
}

Batch Batches::get(std::int64_t index) {
  if (index < 0 || index >= count_) {
    throw Error(ErrorKind::kInternal, fmt::format("batch {} is out of range: there are {}", index, count_));
  }
  if (part_.size(size_of(index)) == 0) return {};
  Batch out = read(index);
  const auto there = [&](const at::Tensor& t) { return is_sparse_rows(t) ? t : t.to(*device_); };  // a no-op if it is already there
  if (device_) out = {there(out.inputs), there(out.targets)};
  return out;
}

Batch Batches::read(std::int64_t index) {
  if (rows_ && !(order_.empty() && inputs_.defined())) {
    const auto rows = rows_of(index);
    const auto size = static_cast<std::int64_t>(rows.size());
    const auto first = [&](const at::Tensor& buffer) { return buffer.size(0) == size ? buffer : buffer.narrow(0, 0, size); };
    Batch out{first(input_buffer_), first(target_buffer_)};
    rows_->read(rows, out.inputs, out.targets);
    if (const auto next = index + 1 < count_ ? rows_of(index + 1) : std::vector<std::int64_t>(); !next.empty()) rows_->expect(next);
    return out;
  }
  const auto begin = index * batch_size_ + part_.begin(size_of(index)), size = part_.size(size_of(index));
  return {gather(inputs_, input_buffer_, begin, size), gather(targets_, target_buffer_, begin, size)};
}

std::vector<std::int64_t> Batches::rows_of(std::int64_t index) const {
  const auto begin = index * batch_size_ + part_.begin(size_of(index)), end = begin + part_.size(size_of(index));
  if (!order_.empty()) return {order_.begin() + begin, order_.begin() + end};
  std::vector<std::int64_t> out(static_cast<std::size_t>(end - begin));
  std::iota(out.begin(), out.end(), begin);
  return out;
}

at::Tensor Batches::gather(const at::Tensor& from, at::Tensor& buffer, std::int64_t begin, std::int64_t size) const {
  if (order_.empty()) return row_range(from, begin, size);
  if (is_sparse_rows(from)) {
    const auto first = order_.begin() + begin;
    return select_sparse_rows(from, {first, first + size});
  }
  auto out = buffer.narrow(0, 0, size);
  if (!from.is_cpu()) {
    at::index_select_out(out, from, 0, device_order_.narrow(0, begin, size));
    return out;
  }
  const auto row = from.nbytes() / static_cast<std::size_t>(samples_);
  const auto* source = static_cast<const char*>(from.data_ptr());
  auto* target = static_cast<char*>(out.data_ptr());
  for (std::int64_t i = 0; i < size; ++i) {
    std::memcpy(target + static_cast<std::size_t>(i) * row,
                source + static_cast<std::size_t>(order_[static_cast<std::size_t>(begin + i)]) * row, row);
  }
  return out;
}

}  // namespace yatlab
