#include "core/system/freed_memory.h"

#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"
#include "core/base/process.h"
#include "cost.h"
#include "temporary_folder.h"

namespace yatlab::testing {
namespace {

int faults() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<int>(usage.ru_minflt);
}

/// 20 blocks of 8 MB, written and freed.
void step() {
  char* blocks[20];
  for (auto*& block : blocks) {
    block = static_cast<char*>(std::malloc(8 << 20));
    for (std::size_t i = 0; i < (8 << 20); i += 4096) static_cast<volatile char*>(block)[i] = 1;
  }
  for (auto* block : blocks) std::free(block);
}

/// Page faults of a step that follows another such step, in a separate program: in this one they depend on what other tests
/// left in the heap.
int pages_of_second_step(const std::string& kept, const std::string& thread, const std::string& tunables = "") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "pages";
  std::vector<std::string> words = {"env", "-u", "YATLAB_TEST_TOTALS", "-u", "GLIBC_TUNABLES"};
  if (!tunables.empty()) words.push_back("GLIBC_TUNABLES=" + tunables);
  words.insert(words.end(), {"YATLAB_STEP=" + kept + " " + thread + " " + file.string(),
                             std::filesystem::read_symlink("/proc/self/exe").string(), "two training steps"});
  REQUIRE(run_process(words).status == 0);
  int pages = -1;
  std::ifstream(file) >> pages;
  REQUIRE(pages >= 0);
  return pages;
}

TEST_CASE("two training steps", "[.]") {
  const char* given = std::getenv("YATLAB_STEP");
  if (!given) return;  // only for the test below; but a filter that only excludes, such as ~[slow], selects hidden tests as well
  std::istringstream words(given);
  std::string kept, thread, file;
  words >> kept >> thread >> std::ws;
  std::getline(words, file);  // its folder's name may contain spaces
  if (kept == "kept") keep_freed_memory();
  int taken = 0;
  const auto both = [&] {
    step();
    const int before = faults();
    step();
    taken = faults() - before;
  };
  if (thread == "another") {
    std::thread(both).join();
  } else {
    both();
  }
  std::ofstream(file) << taken;
}

TEST_CASE("memory freed by a training step is reused unless GLIBC_TUNABLES says otherwise") {
  if (cost_is_distorted()) return;  // a sanitizer has its own allocator
  for (const std::string thread : {"main", "another"}) {
    INFO(thread << " thread");
    CHECK(pages_of_second_step("kept", thread) < 100);
    CHECK(pages_of_second_step("left", thread) > 100);
  }
  CHECK(pages_of_second_step("kept", "another", "glibc.malloc.trim_threshold=131072") > 100);
}

}  // namespace
}  // namespace yatlab::testing
