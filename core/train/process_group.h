#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace yatlab {

/// Another rank is gone, or gave no answer. No std::exception: nothing is wrong with the component in whose work it shows.
struct ContactLost {
  std::string why;
  bool failed = false;  ///< it said why it left: the job failed there. Else it was taken away
};

/// Processes that train one model together, each on its share of every batch: ranks 0 .. size - 1. All of them make the same calls in the same
/// order. Calls and waits throw ContactLost.
class ProcessGroup {
 public:
  enum class Reduce { kSum, kMax };

  /// Something under way.
  class Work {
   public:
    virtual ~Work() = default;
    virtual void wait() = 0;
  };

  virtual ~ProcessGroup() = default;
  virtual std::int64_t rank() const = 0;
  virtual std::int64_t size() const = 0;

  /// Makes `tensor` (contiguous) the sum or maximum over all ranks, the same bytes on each, by the end of `wait`.
  virtual std::unique_ptr<Work> all_reduce(const at::Tensor& tensor, Reduce reduce) = 0;
  /// Makes `tensor` what it is on rank 0.
  virtual void broadcast(const at::Tensor& tensor) = 0;
  /// The `tensor` of every rank, in their order; shapes are equal.
  virtual std::vector<at::Tensor> all_gather(const at::Tensor& tensor) = 0;
  /// Returns when all ranks have come to this point. The group is of no use afterwards.
  virtual void leave() = 0;
};

}  // namespace yatlab
