#pragma once

#include <cstddef>
#include <string>

namespace yatlab {

/// Uses `n` threads for tensor loops (OpenMP) in the calling thread, and for matrix products
/// (OpenBLAS, if that is the BLAS) in the whole process, so that the two pools agree. Throws where they are not to be had (require_threads).
void set_compute_threads(int n);

/// Bytes of address space that OpenBLAS takes for each thread that computes a product.
constexpr std::size_t kBlasBuffer = std::size_t(130) << 20;

/// Has OpenBLAS keep buffers for `n` products at the same time, which it uses again from then on. Where it cannot have a buffer in the middle of
/// the work it asks for ever. Throws a job error ("out of memory") when they are not to be had.
void reserve_blas_buffers(std::size_t n);

/// What OpenBLAS says of itself; empty strings when another BLAS is loaded.
struct OpenBlas {
  bool loaded = false;
  std::string core, config;
  int threads = 0;
};
OpenBlas describe_openblas();

}  // namespace yatlab
