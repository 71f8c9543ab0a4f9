#include "core/train/freed_memory.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "catch.h"
#include "cost.h"

namespace yatlab::testing {
namespace {

/// Pages that a step of 20 blocks of 8 MB takes from the kernel which comes after such a step, in a process of its own.
int pages_of_second_step(bool kept, bool on_thread) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const auto child = ::fork();
  if (child == 0) {
    if (kept) keep_freed_memory();
    const auto faults = [] {
      rusage usage{};
      ::getrusage(RUSAGE_SELF, &usage);
      return static_cast<int>(usage.ru_minflt);
    };
    const auto step = [] {
      char* blocks[20];
      for (auto*& block : blocks) {
        block = static_cast<char*>(std::malloc(8 << 20));
        for (std::size_t i = 0; i < (8 << 20); i += 4096) static_cast<volatile char*>(block)[i] = 1;
      }
      for (auto* block : blocks) std::free(block);
    };
    int taken = 0;
    const auto both = [&] {
      step();
      const int before = faults();
      step();
      taken = faults() - before;
    };
    if (on_thread) {
      std::thread(both).join();
    } else {
      both();
    }
    const bool written = ::write(ends[1], &taken, sizeof taken) == sizeof taken;
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  int taken = -1, status = 0;
  const auto got = ::read(ends[0], &taken, sizeof taken);
  ::close(ends[0]);
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(got == sizeof taken);
  return taken;
}

TEST_CASE("what a step of training frees is there for the next, in every thread, unless GLIBC_TUNABLES says otherwise") {
  if (cost_is_distorted()) return;  // a sanitizer has an allocator of its own
  const char* given = std::getenv("GLIBC_TUNABLES");
  const std::string before = given ? given : "";
  ::unsetenv("GLIBC_TUNABLES");
  for (const bool on_thread : {false, true}) {
    INFO((on_thread ? "another thread" : "the main thread"));
    CHECK(pages_of_second_step(true, on_thread) < 100);
    CHECK(pages_of_second_step(false, on_thread) > 100);
  }
  ::setenv("GLIBC_TUNABLES", "glibc.malloc.trim_threshold=131072", 1);
  CHECK(pages_of_second_step(true, true) > 100);
  if (given) {
    ::setenv("GLIBC_TUNABLES", before.c_str(), 1);
  } else {
    ::unsetenv("GLIBC_TUNABLES");
  }
}

}  // namespace
}  // namespace yatlab::testing
