#include "core/cli/blas.h"

#include <dlfcn.h>

#include <cstdlib>
#include <set>

#include "core/base/text.h"

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

void choose_blas_kernels() {
  const auto best = best_blas_kernels();
  if (best.empty() || std::getenv("OPENBLAS_CORETYPE")) return;
  const char* given = std::getenv("OPENBLAS_NUM_THREADS");
  const std::string threads = given ? given : "";
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);                             // or it would start its threads here
  void* const blas = ::dlopen("libblas.so.3", RTLD_LAZY | RTLD_LOCAL);  // which LibTorch loads
  given ? ::setenv("OPENBLAS_NUM_THREADS", threads.c_str(), 1) : ::unsetenv("OPENBLAS_NUM_THREADS");
  auto* const core = blas ? reinterpret_cast<char* (*)()>(::dlsym(blas, "openblas_get_corename")) : nullptr;
  if (core && kPoor.count(lower(core())) > 0) ::setenv("OPENBLAS_CORETYPE", best.c_str(), 1);
}

}  // namespace yatlab::cli
