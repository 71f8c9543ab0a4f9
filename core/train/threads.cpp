#include "core/train/threads.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <vector>

#include "core/base/error.h"
#include "core/system/start_threads.h"

namespace yatlab {
namespace {

// LibTorch links BLAS through Debian's alternatives, so which one is used is known only at run time.
template <class Function>
Function* blas_function(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void set_compute_threads(int n) {
  // OpenMP and OpenBLAS have one pool each, and abort the process if they cannot create it.
  if (n > 1) require_threads(2 * static_cast<std::size_t>(n - 1));
  at::set_num_threads(n);
  if (auto* set = blas_function<void(int)>("openblas_set_num_threads")) set(n);
}

void reserve_blas_buffers(std::size_t n) {
  auto* const take = blas_function<void*(int)>("blas_memory_alloc");
  auto* const give = blas_function<void(void*)>("blas_memory_free");
  rlimit limit{};
  // Without a limit there is enough address space, and pages are allocated only when written.
  if (!take || !give || ::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  std::vector<void*> taken;
  bool enough = true;
  for (std::size_t i = 0; enough && i < n; ++i) {
    void* const there = ::mmap(nullptr, kBlasBuffer, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    enough = there != MAP_FAILED;
    if (enough) ::munmap(there, kBlasBuffer);
    if (enough) taken.push_back(take(0));
  }
  for (void* buffer : taken) give(buffer);
  if (!enough) {
    throw Error(ErrorKind::kJob, "out of memory", {},
                fmt::format("the address space of the process is limited to {} MB (ulimit -v): too little for {} parallel matrix products",
                            limit.rlim_cur >> 20, n),
                "raise the limit, or use fewer launcher.workers or trainer.threads");
  }
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
