#include "core/ops/vector_code.h"

#include <atomic>

namespace yatlab::kernel {
namespace {

bool supported(InstructionSet set) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  switch (set) {
    case InstructionSet::kAvx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512dq");
    case InstructionSet::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case InstructionSet::kGeneric:
      break;
  }
#endif
  return set == InstructionSet::kGeneric;
}

std::atomic<InstructionSet>& chosen() {
  static std::atomic<InstructionSet> set{supported(InstructionSet::kAvx512) ? InstructionSet::kAvx512
                                         : supported(InstructionSet::kAvx2) ? InstructionSet::kAvx2
                                                                            : InstructionSet::kGeneric};
  return set;
}

}  // namespace

InstructionSet instruction_set() { return chosen().load(std::memory_order_relaxed); }

const char* instruction_set_name() {
  switch (instruction_set()) {
    case InstructionSet::kAvx512:
      return "avx512";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kGeneric:
      break;
  }
  return "generic";
}

bool use_instruction_set(const std::string& name) {
  const auto set = name == "avx512" ? InstructionSet::kAvx512 : name == "avx2" ? InstructionSet::kAvx2 : InstructionSet::kGeneric;
  if (!supported(set)) return false;
  chosen().store(set);
  return true;
}

}  // namespace yatlab::kernel
