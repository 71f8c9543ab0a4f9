#include "core/model/saved_bytes.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "core/model/graph_node.h"

namespace yatlab {
namespace {

class Blocks {
 public:
  void report(void* ptr, std::int64_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (size > 0) {
      sizes_[ptr] = size;
      live_ += size;
      peak_ = std::max(peak_, live_);
    } else if (const auto it = sizes_.find(ptr); it != sizes_.end()) {  // otherwise it was allocated before the watch began
      live_ -= it->second;
      sizes_.erase(it);
    }
  }
  std::int64_t live() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return live_;
  }
  std::int64_t peak() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return peak_;
  }
  std::vector<std::int64_t> sizes() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::int64_t> out;
    for (const auto& [ptr, size] : sizes_) out.push_back(size);
    std::sort(out.rbegin(), out.rend());
    return out;
  }

 private:
  mutable std::mutex mutex_;  // CUDA's backward threads report too
  std::unordered_map<void*, std::int64_t> sizes_;
  std::int64_t live_ = 0, peak_ = 0;
};

// The types of the totals differ between Torch's versions: deduce them from the declaration.
template <class Signature>
struct Listener;
template <class Base, class Size, class Total>
struct Listener<void (Base::*)(void*, Size, Total, Total, c10::Device)> final : Base {
  void reportMemoryUsage(void* ptr, Size size, Total, Total, c10::Device) override { blocks.report(ptr, size); }
  bool memoryProfilingEnabled() const override { return true; }
  Blocks blocks;
};
using MemoryListener = Listener<decltype(&c10::MemoryReportingInfoBase::reportMemoryUsage)>;

}  // namespace

struct MemoryWatch::State {
  std::shared_ptr<MemoryListener> listener = std::make_shared<MemoryListener>();
  c10::DebugInfoGuard guard{c10::DebugInfoKind::PROFILER_STATE, listener};
};

MemoryWatch::MemoryWatch() : state_(std::make_unique<State>()) {}
MemoryWatch::~MemoryWatch() = default;

std::int64_t MemoryWatch::live() const { return state_->listener->blocks.live(); }
std::int64_t MemoryWatch::peak() const { return state_->listener->blocks.peak(); }
std::vector<std::int64_t> MemoryWatch::blocks() const { return state_->listener->blocks.sizes(); }

SavedBytes saved_for_backward(const std::function<at::Tensor()>& forward) {
  const MemoryWatch watch;
  GraphNode graph;
  {
    const at::Tensor result = forward();
    graph = result.grad_fn();
  }
  SavedBytes out;
  if (!graph) return out;
  out.total = watch.live();
  out.blocks = watch.blocks();
  out.peak = watch.peak();
  return out;
}

}  // namespace yatlab
