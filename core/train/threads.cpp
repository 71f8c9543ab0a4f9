#include "core/train/threads.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

namespace yatlab {
namespace {

// LibTorch links BLAS through Debian's alternatives: which one it is shows at run time only.
template <class Function>
Function* blas_function(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void set_compute_threads(int n) {
  at::set_num_threads(n);
  if (auto* set = blas_function<void(int)>("openblas_set_num_threads")) set(n);
}

OpenBlas describe_openblas() {
  OpenBlas out;
  auto* const core = blas_function<char*()>("openblas_get_corename");
  if (!core) return out;
  out.loaded = true;
  out.core = core();
  if (auto* const config = blas_function<char*()>("openblas_get_config")) out.config = config();
  if (auto* const threads = blas_function<int()>("openblas_get_num_threads")) out.threads = threads();
  return out;
}

}  // namespace yatlab
