#include "core/train/stacked_batches.h"

#include <ATen/ATen.h>

#include <optional>

#include "core/data/sparse_rows.h"

namespace yatlab {
namespace {

std::vector<std::int64_t> shape_of(const at::Tensor& batch, std::int64_t count) {
  auto out = batch.sizes().vec();
  out.insert(out.begin(), count);
  return out;
}

/// Repeats each of them `times` times.
at::Tensor repeated(const std::vector<at::Tensor>& sparse, std::int64_t times) {
  std::vector<at::Tensor> all;
  for (const auto& batch : sparse) all.insert(all.end(), static_cast<std::size_t>(times), batch);
  return concatenate_sparse_rows(all);
}

}  // namespace

void StackedBatches::Part::take(const at::Tensor& batch, std::int64_t group, std::int64_t groups, std::int64_t most) {
  if (is_sparse_rows(batch)) {
    sparse_.resize(static_cast<std::size_t>(groups));
    sparse_[static_cast<std::size_t>(group)] = batch;
    return;
  }
  if (!ready(groups)) {  // first call: the shape is now known
    auto shape = shape_of(batch, groups);
    shape[1] = most;
    dense_ = at::empty(shape, batch.options());
  }
  // A batch that is a view of the data, in the data's own order, has not been copied there yet.
  const at::Tensor here = dense_[group].narrow(0, 0, batch.size(0));
  if (batch.data_ptr() != here.data_ptr()) here.copy_(batch);
}

at::Tensor StackedBatches::Part::all(std::int64_t size, std::int64_t each) const {
  return sparse() ? repeated(sparse_, each) : dense_.narrow(1, 0, size);
}

std::vector<std::size_t> StackedBatches::firsts() const {
  std::vector<std::size_t> out;
  std::optional<BatchPlace> before;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const auto place = members_[i].loop.place_of(members_[i].step);
    if (!before || !(place == *before)) out.push_back(i);
    before = place;
  }
  const auto each = members_.size() / out.size();
  bool regular = each * out.size() == members_.size();
  for (std::size_t g = 0; g < out.size(); ++g) regular = regular && out[g] == g * each;
  if (regular) return out;
  out.resize(members_.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = i;
  return out;
}

std::pair<at::Tensor, at::Tensor> StackedBatches::gather() {
  const auto first = firsts();
  const auto groups = static_cast<std::int64_t>(first.size()), each = static_cast<std::int64_t>(members_.size()) / groups;
  if (groups == 1) {
    const auto [inputs, targets] = batch_of(0);
    return {is_sparse_rows(inputs) ? repeated({inputs}, each) : inputs.unsqueeze(0),
            is_sparse_rows(targets) ? repeated({targets}, each) : targets.unsqueeze(0).expand(shape_of(targets, each))};
  }
  for (std::int64_t g = 0; g < groups; ++g) {
    const auto i = first[static_cast<std::size_t>(g)];
    auto& loop = members_[i].loop;
    if (inputs_.ready(groups) && targets_.ready(groups)) loop.gather_into(inputs_.place(g), targets_.place(g));
    const Batch batch = batch_of(i);
    inputs_.take(batch.inputs, g, groups, loop.largest_batch());
    targets_.take(batch.targets, g, groups, loop.largest_batch());
  }
  const auto size = members_.front().step.size;
  const at::Tensor targets = targets_.all(size, each);
  return {inputs_.all(size, each), targets_.sparse() ? targets : targets.repeat_interleave(each, 0)};
}

}  // namespace yatlab
