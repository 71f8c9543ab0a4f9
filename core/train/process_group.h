#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace yatlab {

/// Another rank has left, or did not answer. Not derived from std::exception: the component that was running is not at fault.
struct ContactLost {
  std::string why;
  bool failed = false;  ///< it reported that the job failed there; otherwise it was stopped from outside
};

/// Processes that train one model together, each on its share of every batch: ranks 0 .. size - 1. All of them make the same calls in the same order.
/// Calls and waits throw ContactLost.
class ProcessGroup {
 public:
  enum class Reduce { kSum, kMax };

  /// An operation in progress.
  class Work {
   public:
    virtual ~Work() = default;
    virtual void wait() = 0;
  };

  virtual ~ProcessGroup() = default;
  virtual std::int64_t rank() const = 0;
  virtual std::int64_t size() const = 0;

  /// Replaces `tensor` (contiguous) by the sum or maximum over all ranks, with the same bytes on each. Complete when `wait` returns.
  virtual std::unique_ptr<Work> all_reduce(const at::Tensor& tensor, Reduce reduce) = 0;
  /// Overwrites `tensor` with that of rank 0.
  virtual void broadcast(const at::Tensor& tensor) = 0;
  /// The `tensor` of every rank, in rank order; shapes are equal.
  virtual std::vector<at::Tensor> all_gather(const at::Tensor& tensor) = 0;
  /// Returns when all ranks have reached this call. The group cannot be used afterwards.
  virtual void leave() = 0;
};

}  // namespace yatlab
