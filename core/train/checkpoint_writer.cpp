#include "core/train/checkpoint_writer.h"

#include <ATen/ATen.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "core/base/error.h"

namespace yatlab {
namespace {

/// Copies that no later step changes. Waits for the device.
NamedTensors copies_of(const NamedTensors& tensors) {
  const at::NoGradGuard no_grad;
  NamedTensors out;
  out.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) {
    out.emplace_back(name, tensor.detach().to(at::kCPU, tensor.scalar_type(), /*non_blocking=*/false, /*copy=*/true));
  }
  return out;
}

}  // namespace

CheckpointWriter::~CheckpointWriter() {
  if (writing_.valid()) writing_.wait();
}

void CheckpointWriter::begin(const Checkpoint& checkpoint) {
  if (writing_.valid()) throw Error(ErrorKind::kInternal, "a checkpoint is begun while another is written");
  Checkpoint copy = checkpoint;
  copy.model = copies_of(checkpoint.model);
  copy.optimizer = copies_of(checkpoint.optimizer);
  step_ = checkpoint.step;
  try {
    writing_ = std::async(std::launch::async, [store = store_, taken = std::move(copy)] { store.save(taken); });
  } catch (const std::system_error&) {  // the machine has no more threads
    store_.save(checkpoint);
    std::promise<void> done;
    done.set_value();
    writing_ = done.get_future();
  }
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
