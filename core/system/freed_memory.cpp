#include "core/system/freed_memory.h"

#include <malloc.h>

#include <cstdlib>
#include <limits>
#include <mutex>
#include <string>

namespace yatlab {

void keep_freed_memory() {
#ifdef __GLIBC__
  static std::once_flag once;
  std::call_once(once, [] {
    const char* given = std::getenv("GLIBC_TUNABLES");
    const std::string tunables = given ? given : "";
    const auto configured = [&](const char* name) { return tunables.find(name) != std::string::npos; };
    if (configured("mmap_threshold") || configured("trim_threshold") || configured("top_pad")) return;
    ::mallopt(M_MMAP_THRESHOLD, 1 << 25);                          // it grows to this value anyway; glibc allows no more
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());  // the main thread's heap
    ::mallopt(M_TOP_PAD, 1 << 26);                                 // heaps of other threads have this size
  });
#endif
}

}  // namespace yatlab
