// Checks the address space (`ulimit -v`) before shared libraries are initialised, so only system calls can be used here. Without enough of it,
// OpenBLAS would retry forever and LibTorch would end the process without a message.
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "core/train/threads.h"

namespace yatlab::cli {
namespace {

constexpr std::size_t kLibraries = std::size_t(512) << 20;  // what they need besides OpenBLAS's buffers

std::size_t blas_threads() {
  const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  for (const char* name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"}) {
    const char* text = ::getenv(name);
    const long n = text ? std::strtol(text, nullptr, 10) : 0;
    if (n > 0 && n < cores) return static_cast<std::size_t>(n);
  }
  return cores > 0 ? static_cast<std::size_t>(cores) : 1;
}

void require_address_space(int, char**, char**) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const std::size_t bytes = kLibraries + (blas_threads() + 1) * kBlasBuffer;
  void* const there = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (there != MAP_FAILED) {
    ::munmap(there, bytes);
    return;
  }
  char text[400];
  const int n =
      std::snprintf(text, sizeof text,
                    "error: out of memory\n  why: the address space of the process is limited to %zu MB (ulimit -v); LibTorch and OpenBLAS "
                    "need %zu MB in addition to what is in use\n  try: raise the limit, or use fewer threads: OPENBLAS_NUM_THREADS=1\n",
                    static_cast<std::size_t>(limit.rlim_cur >> 20), bytes >> 20);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, static_cast<std::size_t>(n));
  ::_exit(1);
}

__attribute__((section(".preinit_array"), used)) void (*const before_libraries)(int, char**, char**) = require_address_space;

}  // namespace
}  // namespace yatlab::cli
