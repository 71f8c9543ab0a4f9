#pragma once

#include <cstddef>
#include <string>

namespace yatlab {

/// Uses `n` threads for tensor loops (OpenMP) in the calling thread, and for matrix products (OpenBLAS, if that is the BLAS) in the whole process, so
/// that the two pools agree. Throws if they are not available (require_threads).
void set_compute_threads(int n);

/// Bytes of address space that OpenBLAS allocates for each thread that computes a product.
constexpr std::size_t kBlasBuffer = std::size_t(130) << 20;

/// Makes OpenBLAS allocate buffers for `n` simultaneous products, which it reuses from then on. Without this, OpenBLAS retries forever when it cannot
/// allocate a buffer during the work. Throws a job error ("out of memory") when they are not available.
void reserve_blas_buffers(std::size_t n);

/// OpenBLAS's description of itself; empty strings when another BLAS is loaded.
struct OpenBlas {
  bool loaded = false;
  std::string core, config;
  int threads = 0;
};
OpenBlas describe_openblas();

}  // namespace yatlab
