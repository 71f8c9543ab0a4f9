#include "core/ops/kernel_choice.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace yatlab {
namespace {

std::atomic<int>& forced() {
  static std::atomic<int> count{[] {
    const char* asked = std::getenv("YATLAB_KERNELS");
    return asked && std::strcmp(asked, "general") == 0 ? 1 : 0;
  }()};
  return count;
}

}  // namespace

bool generic_kernels_forced() { return forced().load(std::memory_order_relaxed) != 0; }
bool use_cpu_kernel(const at::Tensor& t) { return t.device().is_cpu() && !generic_kernels_forced(); }

ForceGenericKernels::ForceGenericKernels() { ++forced(); }
ForceGenericKernels::~ForceGenericKernels() { --forced(); }

}  // namespace yatlab
