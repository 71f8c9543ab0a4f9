#include "core/cli/blas.h"

#include <unistd.h>

#include <cstdlib>
#include <set>

#include "core/base/text.h"
#include "core/train/threads.h"

namespace yatlab::cli {
namespace {

// Kernels without AVX2: what OpenBLAS falls back to on CPUs that it does not know.
const std::set<std::string> kPoor = {"prescott", "core2",        "katmai",    "coppermine",  "northwood", "banias",
                                     "penryn",   "dunnington",   "nehalem",   "sandybridge", "atom",      "athlon",
                                     "opteron",  "opteron_sse3", "barcelona", "bobcat",      "bulldozer", "generic"};

}  // namespace

std::string best_blas_kernels() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq")) {
    return "SKYLAKEX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return __builtin_cpu_is("amd") ? "ZEN" : "HASWELL";
  }
#endif
  return "";
}

void choose_blas_kernels(char** argv) {
  if (std::getenv("OPENBLAS_CORETYPE")) return;
  const auto blas = describe_openblas();
  const auto best = best_blas_kernels();
  if (!blas.loaded || best.empty() || kPoor.count(lower(blas.core)) == 0) return;
  ::setenv("OPENBLAS_CORETYPE", best.c_str(), 1);
  ::execv("/proc/self/exe", argv);
}

}  // namespace yatlab::cli
