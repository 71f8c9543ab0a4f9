// The libFuzzer entry point of a fuzz target, and the sanitizers' settings.
#include "fuzz.h"

#include <ctime>

// Inputs are small, so freed memory need not be quarantined for long.
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=16:detect_stack_use_after_return=1"; }
extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1"; }

namespace {

/// CPU time of this process, over all threads. On a busy machine wall time would report inputs that only waited.
double processor_seconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const double begin = processor_seconds();
  yatlab::fuzz::fuzz_input({reinterpret_cast<const char*>(data), size});
  const double took = processor_seconds() - begin;
  if (took > 2) yatlab::fuzz::finding("it took " + std::to_string(took) + " s of a processor");
  return 0;
}
