#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace yatlab {

/// Counts the bytes of the tensors that this thread allocates (and frees) while the object lives, on the CPU and on CUDA devices, through Torch's
/// allocators. Tensors allocated before do not count. CUDA blocks come in multiples of 512 bytes; scratch memory of BLAS and the like is not counted.
///
/// On the CPU autograd runs its backward pass on the calling thread, so that is counted as well. On CUDA it is too, because the engine passes the
/// watch on to its threads.
class MemoryWatch {
 public:
  MemoryWatch();
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  std::int64_t live() const;  ///< bytes allocated since the start and not freed yet
  std::int64_t peak() const;  ///< most bytes allocated at once
  /// Sizes of the blocks currently allocated, largest first.
  std::vector<std::int64_t> blocks() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The tensors that autograd saves in a forward pass for the backward pass.
struct SavedBytes {
  std::int64_t total = 0;            ///< bytes
  std::vector<std::int64_t> blocks;  ///< their sizes, largest first; views of one storage count once
  std::int64_t peak = 0;             ///< most bytes allocated at once during the forward pass
};

/// Runs `forward` under a MemoryWatch, drops its result and counts the memory that the graph still holds.
///
/// A tensor not created in `forward` (weights; an input from outside) is never counted: create the input inside (`x.clone()` saves nothing) to count
/// it when it is saved. If nothing requires gradients, all counts are 0.
SavedBytes saved_for_backward(const std::function<at::Tensor()>& forward);

}  // namespace yatlab
