#include "core/train/checkpoint_writer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "core/base/error.h"

namespace yatlab {
namespace {

std::uintmax_t bytes_of(const NamedTensors& tensors) {
  std::uintmax_t out = 0;
  for (const auto& entry : tensors) out += entry.second.nbytes();
  return out;
}

}  // namespace

CheckpointWriter::~CheckpointWriter() {
  if (writing_.valid()) writing_.wait();
}

std::uintmax_t CheckpointWriter::largest_copy = std::uintmax_t{128} << 20;

void CheckpointWriter::begin(const Checkpoint& checkpoint, const std::vector<Tensor>& unchanged) {
  if (writing_.valid()) throw Error(ErrorKind::kInternal, "a checkpoint was started while another is being written");
  const at::NoGradGuard no_grad;
  std::unordered_set<const void*> rest;
  if (all_unchanged_ && bytes_of(checkpoint.model) + bytes_of(checkpoint.optimizer) > largest_copy) {
    for (const auto& tensor : unchanged) rest.insert(tensor.data_ptr());
  }
  borrowed_.clear();
  // A copy waits for the device. A borrowed tensor gets its own handle, because the caller may give other data to its handle meanwhile.
  const auto taken = [&](const NamedTensors& tensors) {
    NamedTensors out;
    out.reserve(tensors.size());
    for (const auto& [name, tensor] : tensors) {
      if (tensor.is_cpu() && rest.count(tensor.data_ptr()) > 0) {
        borrowed_.push_back({tensor, static_cast<std::uint32_t>(tensor._version())});
        out.emplace_back(name, tensor.detach());
      } else {
        out.emplace_back(name, tensor.detach().to(at::kCPU, tensor.scalar_type(), /*non_blocking=*/false, /*copy=*/true));
      }
    }
    return out;
  };
  Checkpoint own = checkpoint;
  own.model = taken(checkpoint.model);
  own.optimizer = taken(checkpoint.optimizer);
  step_ = checkpoint.step;
  try {
    writing_ = std::async(std::launch::async, [store = store_, own = std::move(own)] { store.save(own); });
  } catch (const std::system_error&) {  // the machine has no more threads
    store_.save(checkpoint);
    std::promise<void> done;
    done.set_value();
    writing_ = done.get_future();
  }
}

bool CheckpointWriter::release_parameters() {
  if (borrowed_.empty()) return true;
  if (writing_.valid()) writing_.wait();
  all_unchanged_ = std::all_of(borrowed_.begin(), borrowed_.end(), [](const BorrowedTensor& borrowed) {
    return static_cast<std::uint32_t>(borrowed.tensor._version()) == borrowed.version;
  });
  borrowed_.clear();
  return all_unchanged_;
}

std::optional<std::int64_t> CheckpointWriter::written() {
  if (!writing_.valid() || writing_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout) return std::nullopt;
  return wait();
}

std::optional<std::int64_t> CheckpointWriter::wait() {
  if (!writing_.valid()) return std::nullopt;
  writing_.get();
  return step_;
}

}  // namespace yatlab
