// Trackers called by several threads at once. Also run under the thread sanitizer (YATLAB_PRESET=tsan).
#include "core/plan/trackers.h"

#include <atomic>
#include <stdexcept>
#include <thread>

#include "catch.h"
#include "holds.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

constexpr int kThreads = 4, kCalls = 200;

std::atomic<int>& heard() {
  static std::atomic<int> count{0};
  return count;
}

/// Counts its calls.
struct CountingTracker final : Tracker {
  struct Params {
    static void declare(Fields&, Params&) {}
  };
  explicit CountingTracker(const Params&) {}
  void on_run_finish() override { ++heard(); }
};

/// Throws once all threads are inside it.
struct ThrowingTogether final : Tracker {
  struct Params {
    static void declare(Fields&, Params&) {}
  };
  explicit ThrowingTogether(const Params&) {}
  void on_run_finish() override {
    ++inside;
    while (inside < kThreads) std::this_thread::yield();
    throw std::runtime_error("nobody answers");
  }
  std::atomic<int> inside{0};
};

YATLAB_REGISTER(Tracker, CountingTracker, "counts_calls", "counts");
YATLAB_REGISTER(Tracker, ThrowingTogether, "throws_together", "throws");

}  // namespace

TEST_CASE("trackers may be called by all threads and a broken one is reported once", "[trackers][threads]") {
  heard() = 0;
  const TemporaryFolder folder;
  EventLog log(folder.path() / "log.txt");
  Trackers trackers(Node::List{"counts_calls", "throws_together"}, true, log);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int call = 0; call < kCalls; ++call) {
        trackers.each([](Tracker& t) { t.on_run_finish(); });
        if (call % 50 == 0) log.write("still here");
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(heard() == kThreads * kCalls);
  const auto text = read_file(folder.path() / "log.txt");
  const auto first = text.find("tracker 'throws_together' failed and is switched off: nobody answers");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("throws_together", first + 10) == std::string::npos);
}

}  // namespace yatlab
