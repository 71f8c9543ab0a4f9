#pragma once

#include <string>

namespace yatlab {

/// Uses `n` threads for tensor loops (OpenMP) in the calling thread, and for matrix products
/// (OpenBLAS, if that is the BLAS) in the whole process, so that the two pools agree.
void set_compute_threads(int n);

/// What OpenBLAS says of itself; empty strings when another BLAS is loaded.
struct OpenBlas {
  bool loaded = false;
  std::string core, config;
  int threads = 0;
};
OpenBlas describe_openblas();

}  // namespace yatlab
