#include "core/train/gradient_exchange.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <numeric>

#include "core/base/error.h"

namespace yatlab {
namespace {

using at::Tensor;

/// Small enough that a small model has several, large enough that a message's size outweighs its latency.
constexpr std::int64_t kBucketBytes = 1 << 20;
/// Gradients are aligned to a cache line, like separate allocations.
constexpr std::int64_t kAlignment = 16;  // numbers

/// The type in which gradients are added up: at least float.
at::ScalarType sum_type(const Tensor& parameter) { return parameter.scalar_type() == at::kDouble ? at::kDouble : at::kFloat; }

Tensor bytes_of(const Tensor& contiguous) { return contiguous.detach().flatten().view(at::kByte); }

}  // namespace

struct GradientExchange::Bucket {
  struct Entry {
    std::size_t parameter;
    std::int64_t offset;
  };
  std::vector<Entry> entries;
  Tensor numbers;          // gradients, then for each entry the number of ranks that have one
  std::int64_t flags = 0;  // their offset
  std::size_t waiting = 0;
  std::unique_ptr<ProcessGroup::Work> work;

  Tensor slice(const Entry& entry, const Tensor& parameter) const {
    return numbers.narrow(0, entry.offset, parameter.numel()).view(parameter.sizes());
  }
};

/// Runs when a parameter's gradient has been accumulated in this process.
class GradientExchange::Hook final : public torch::autograd::FunctionPostHook {
 public:
  Hook(GradientExchange& exchange, std::size_t parameter) : exchange_(exchange), parameter_(parameter) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs, const torch::autograd::variable_list&) override {
    exchange_.on_ready(parameter_);
    return outputs;
  }

 private:
  GradientExchange& exchange_;
  std::size_t parameter_;
};

GradientExchange::GradientExchange(std::vector<Tensor> parameters, std::vector<Tensor> buffers, ProcessGroup& group)
    : parameters_(std::move(parameters)),
      buffers_(std::move(buffers)),
      group_(group),
      place_(parameters_.size()),
      seen_(parameters_.size()) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].requires_grad()) continue;
    auto node = torch::autograd::impl::grad_accumulator(parameters_[i]);
    const auto key = node->add_post_hook(std::make_unique<Hook>(*this, i));
    hooks_.emplace_back(std::move(node), key);
  }
  versions_ = buffer_versions();  // read now: a step's forward pass changes them before `begin`
}

GradientExchange::~GradientExchange() {
  for (const auto& [node, key] : hooks_) node->del_post_hook(key);
}

std::vector<std::uint32_t> GradientExchange::buffer_versions() const {
  std::vector<std::uint32_t> out;
  for (const auto& b : buffers_) out.push_back(static_cast<std::uint32_t>(b._version()));
  return out;
}

/// Finds out the kind of gradient of each parameter, on any rank, and builds the buckets. Called in the first step, after the backward pass.
void GradientExchange::learn() {
  std::vector<std::int64_t> own;
  for (const auto& p : parameters_) own.push_back(!p.grad().defined() ? kNone : p.grad().is_sparse() ? kSparse : kDense);
  own.push_back(buffer_versions() != versions_);
  const Tensor kinds = at::tensor(own, at::kLong);
  group_.all_reduce(kinds, ProcessGroup::Reduce::kMax)->wait();
  const auto* kind = kinds.data_ptr<std::int64_t>();
  buffers_change_ = kind[parameters_.size()] != 0;

  std::int64_t used = 0;
  const auto close = [&] {
    if (used == 0) return;
    Bucket& bucket = *buckets_.back();
    bucket.flags = used;
    const Tensor& first = parameters_[bucket.entries.front().parameter];
    bucket.numbers =
        at::zeros({used + static_cast<std::int64_t>(bucket.entries.size())}, first.options().dtype(sum_type(first)).requires_grad(false));
    used = 0;
  };
  for (std::size_t i = parameters_.size(); i-- > 0;) {
    const Tensor& p = parameters_[i];
    if (!p.requires_grad() || p.numel() == 0) continue;
    if (kind[i] == kSparse) {
      sparse_.push_back(i);
      continue;
    }
    if (used > 0) {
      const Tensor& other = parameters_[buckets_.back()->entries.front().parameter];
      const auto bytes = (used + p.numel()) * static_cast<std::int64_t>(at::elementSize(sum_type(p)));
      if (sum_type(other) != sum_type(p) || other.device() != p.device() || bytes > kBucketBytes) close();
    }
    if (used == 0) buckets_.push_back(std::make_unique<Bucket>());
    place_[i] = {buckets_.size() - 1, buckets_.back()->entries.size()};
    buckets_.back()->entries.push_back({i, used});
    used = (used + p.numel() + kAlignment - 1) / kAlignment * kAlignment;
  }
  close();
  learned_ = true;
}

void GradientExchange::begin(double loss, bool stop) {
  std::fill(seen_.begin(), seen_.end(), false);
  next_ = 0;
  for (auto& bucket : buckets_) bucket->waiting = bucket->entries.size();
  loss_and_stop_ = at::tensor({loss, stop ? 1.0 : 0.0}, at::kDouble);
  pending_sum_ = group_.all_reduce(loss_and_stop_, ProcessGroup::Reduce::kSum);
  sending_ = learned_;
}

void GradientExchange::on_ready(std::size_t parameter) {
  if (!sending_ || std::find(sparse_.begin(), sparse_.end(), parameter) != sparse_.end()) return;
  if (seen_[parameter])
    throw Error(ErrorKind::kInternal, "a gradient came twice in one backward pass: its first part has already been sent");
  seen_[parameter] = true;
  --buckets_[place_[parameter].first]->waiting;
  while (next_ < buckets_.size() && buckets_[next_]->waiting == 0) launch(*buckets_[next_++]);
}

void GradientExchange::launch(Bucket& bucket) {
  const at::NoGradGuard no_grad;
  std::vector<float> present;
  for (const auto& entry : bucket.entries) {
    const Tensor& p = parameters_[entry.parameter];
    const Tensor gradient = p.grad();
    if (gradient.defined() && gradient.is_sparse()) {
      throw Error(ErrorKind::kJob, "a gradient is sparse, but it was dense in the first step", {},
                  "ranks decide in the first step which gradients are sparse", "train this model in one process");
    }
    Tensor slice = bucket.slice(entry, p);
    gradient.defined() ? slice.copy_(gradient) : slice.zero_();
    present.push_back(gradient.defined() ? 1.0F : 0.0F);
  }
  bucket.numbers.narrow(0, bucket.flags, static_cast<std::int64_t>(present.size())).copy_(at::tensor(present));
  bucket.work = group_.all_reduce(bucket.numbers, ProcessGroup::Reduce::kSum);
}

void GradientExchange::take(Bucket& bucket) {
  bucket.work->wait();
  bucket.work.reset();
  const Tensor present = bucket.numbers.narrow(0, bucket.flags, static_cast<std::int64_t>(bucket.entries.size())).to(at::kCPU, at::kFloat);
  for (std::size_t k = 0; k < bucket.entries.size(); ++k) {
    const Tensor& p = parameters_[bucket.entries[k].parameter];
    if (present.data_ptr<float>()[k] == 0) {
      p.mutable_grad().reset();
    } else {
      p.mutable_grad() = bucket.slice(bucket.entries[k], p).to(p.scalar_type());
    }
  }
}

/// Concatenates the rows of all ranks in rank order, then adds them: the same on every rank.
void GradientExchange::add_sparse() {
  if (sparse_.empty()) return;
  const at::NoGradGuard no_grad;
  std::vector<Tensor> own(sparse_.size());
  std::vector<std::int64_t> rows;
  for (std::size_t k = 0; k < sparse_.size(); ++k) {
    const Tensor gradient = parameters_[sparse_[k]].grad();
    if (gradient.defined() && (!gradient.is_sparse() || gradient.sparse_dim() != 1)) {
      throw Error(ErrorKind::kJob, "a gradient has no sparse rows, but it had some in the first step", {},
                  "ranks decide in the first step which gradients are sparse", "train this model in one process");
    }
    if (gradient.defined()) own[k] = gradient.coalesce();
    rows.push_back(own[k].defined() ? own[k]._values().size(0) : -1);
  }
  const auto all_rows = group_.all_gather(at::tensor(rows, at::kLong));
  for (std::size_t k = 0; k < sparse_.size(); ++k) {
    const Tensor& p = parameters_[sparse_[k]];
    std::int64_t most = -1;
    for (const auto& of_rank : all_rows) most = std::max(most, of_rank.data_ptr<std::int64_t>()[k]);
    if (most < 0) {
      p.mutable_grad().reset();
      continue;
    }
    auto shape = p.sizes().vec();
    shape[0] = most;
    Tensor index = at::zeros({most}, p.options().dtype(at::kLong).requires_grad(false)),
           values = at::zeros(shape, p.options().requires_grad(false));
    if (rows[k] > 0) {
      index.narrow(0, 0, rows[k]).copy_(own[k]._indices()[0]);
      values.narrow(0, 0, rows[k]).copy_(own[k]._values());
    }
    std::vector<Tensor> indices, numbers;
    if (most > 0) {
      const auto all_indices = group_.all_gather(index), all_numbers = group_.all_gather(values);
      for (std::size_t r = 0; r < all_rows.size(); ++r) {
        const auto count = std::max<std::int64_t>(0, all_rows[r].data_ptr<std::int64_t>()[k]);
        indices.push_back(all_indices[r].narrow(0, 0, count));
        numbers.push_back(all_numbers[r].narrow(0, 0, count));
      }
    }
    const Tensor where = most > 0 ? at::cat(indices) : index, what = most > 0 ? at::cat(numbers) : values;
    p.mutable_grad() = at::sparse_coo_tensor(where.unsqueeze(0), what, p.sizes()).coalesce();
  }
}

GradientExchange::Step GradientExchange::finish() {
  sending_ = false;
  if (!learned_) learn();
  while (next_ < buckets_.size()) launch(*buckets_[next_++]);
  for (auto& bucket : buckets_) take(*bucket);
  add_sparse();
  if (buffers_change_) broadcast(buffers_, group_);
  pending_sum_->wait();
  pending_sum_.reset();
  const auto* sums = loss_and_stop_.data_ptr<double>();
  return {sums[0], sums[1] > 0};
}

void broadcast(const std::vector<Tensor>& tensors, ProcessGroup& group) {
  const at::NoGradGuard no_grad;
  for (const auto& tensor : tensors) {
    if (tensor.numel() == 0) continue;
    const Tensor packed = tensor.detach().contiguous();
    group.broadcast(bytes_of(packed));
    if (!tensor.is_contiguous()) tensor.detach().copy_(packed);
    tensor.unsafeGetTensorImpl()->bump_version();  // the group writes to raw memory, which autograd's version counter would not notice
  }
}

bool equal_on_all_ranks(const std::vector<Tensor>& tensors, ProcessGroup& group) {
  const at::NoGradGuard no_grad;
  std::uint64_t sum = 0;
  for (const auto& tensor : tensors) {
    if (!tensor.defined() || tensor.numel() == 0) continue;
    const Tensor numbers = (tensor.is_sparse() ? tensor._values() : tensor).detach().contiguous().flatten();
    const bool words = numbers.element_size() % 4 == 0;
    sum = 31 * sum + static_cast<std::uint64_t>(numbers.view(words ? at::kInt : at::kByte).sum(at::kLong).item<std::int64_t>());
  }
  const auto low = static_cast<std::int64_t>(sum >> 1);  // so that its negative fits
  const Tensor ends = at::tensor({low, -low}, at::kLong);
  group.all_reduce(ends, ProcessGroup::Reduce::kMax)->wait();
  return ends.data_ptr<std::int64_t>()[0] == -ends.data_ptr<std::int64_t>()[1];
}

}  // namespace yatlab
