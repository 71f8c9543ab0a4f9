#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace yatlab {

/// Counts the bytes of the tensors that this thread allocates (and frees) while the object lives, on the
/// CPU and on CUDA devices, by listening to Torch's allocators. Tensors that were there before do not
/// count. CUDA blocks come in multiples of 512 bytes; scratch of BLAS and the like is not seen.
///
/// On the CPU autograd runs its backward pass on the thread that asks for it, so that is seen as well; on
/// CUDA it is, because the engine hands the watch on to its threads.
class MemoryWatch {
 public:
  MemoryWatch();
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  std::int64_t live() const;  ///< bytes allocated since the start and not freed yet
  std::int64_t peak() const;  ///< the most bytes that were alive at once
  /// Sizes of the blocks alive now, largest first.
  std::vector<std::int64_t> blocks() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What autograd keeps of a forward pass until the backward pass has used it.
struct SavedBytes {
  std::int64_t total = 0;            ///< bytes
  std::vector<std::int64_t> blocks;  ///< of which sizes, largest first; views of one storage count once
  std::int64_t peak = 0;             ///< most bytes alive at once during the forward pass
};

/// Runs `forward` under a MemoryWatch, lets go of its result and counts what the graph still holds.
///
/// A tensor that `forward` did not make itself (weights; an input from outside) is never counted: make
/// the input inside (`x.clone()` keeps nothing) to count it when it is kept. Without anything to
/// differentiate all is 0.
SavedBytes saved_for_backward(const std::function<at::Tensor()>& forward);

}  // namespace yatlab
