#include "core/system/start_threads.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.h"
#include "core/base/error.h"
#include "cost.h"

namespace yatlab {

TEST_CASE("either all threads start or an error says how many started", "[threads]") {
  std::atomic<int> done{0};
  for (auto& thread : start_threads(5, [&] { ++done; })) thread.join();
  CHECK(done == 5);
  CHECK(start_threads(0, [&] { ++done; }).empty());
  CHECK_NOTHROW(require_threads(3));
  if (testing::cost_is_distorted()) return;
  // Enough memory for the stacks of some threads (8 MB each), not of all.
  rlimit before{}, stack{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  REQUIRE(::getrlimit(RLIMIT_STACK, &stack) == 0);
  if (stack.rlim_cur == RLIM_INFINITY || before.rlim_cur != RLIM_INFINITY) return;
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit tight = before;
  tight.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + 12 * stack.rlim_cur;
  REQUIRE(::setrlimit(RLIMIT_AS, &tight) == 0);
  std::string said;
  try {
    for (auto& thread : start_threads(500, [&] { ++done; })) thread.join();
  } catch (const Error& e) {
    said = e.what();
    CHECK(e.kind() == ErrorKind::kFile);  // not a fault of a job
  }
  ::setrlimit(RLIMIT_AS, &before);
  INFO(said);
  CHECK(said.find("cannot start 500 threads") == 0);
  CHECK(done == 5);
}

TEST_CASE("for_each_below calls each number once and throws the first error", "[threads]") {
  for (const auto count : std::vector<std::size_t>{0, 1, 63, 64, 1000}) {
    std::vector<std::atomic<int>> calls(count);
    for_each_below(count, [&](std::size_t i) { ++calls[i]; });
    CHECK(std::all_of(calls.begin(), calls.end(), [](const auto& n) { return n == 1; }));
  }
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::string message;
    try {
      for_each_below(1000, [](std::size_t i) {
        if (i % 100 == 7) throw std::runtime_error(std::to_string(i));
      });
    } catch (const std::runtime_error& e) {
      message = e.what();
    }
    CHECK(message == "7");
  }
}

}  // namespace yatlab
