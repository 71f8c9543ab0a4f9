// Catch2's main, and a listener that writes to the file named by YATLAB_TEST_TOTALS the input of `run.sh test`'s totals:
// a line "skipped: ..." for each WARN that begins so, "failed: NAME  (FILE:LINE)" for each failed test case, and
// "<passed> <failed>" test cases.
#if YATLAB_CATCH_MAJOR < 3
#define CATCH_CONFIG_MAIN
#endif
#include "catch.h"

#include <cstdlib>
#include <fstream>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
// Tests request more memory than exists, to see how that fails.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
#endif

namespace {

#if YATLAB_CATCH_MAJOR >= 3
class Totals : public Catch::EventListenerBase {
 public:
  using EventListenerBase::EventListenerBase;
  void assertionEnded(const Catch::AssertionStats& stats) override { note(stats.assertionResult); }
  void testCaseEnded(const Catch::TestCaseStats& stats) override { note(*stats.testInfo, stats.totals.testCases); }
  void testRunEnded(const Catch::TestRunStats& stats) override { write(stats.totals.testCases); }
#else
class Totals : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;
  bool assertionEnded(const Catch::AssertionStats& stats) override {
    note(stats.assertionResult);
    return TestEventListenerBase::assertionEnded(stats);
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    note(stats.testInfo, stats.totals.testCases);
    TestEventListenerBase::testCaseEnded(stats);
  }
  void testRunEnded(const Catch::TestRunStats& stats) override {
    write(stats.totals.testCases);
    TestEventListenerBase::testRunEnded(stats);
  }
#endif

 private:
  static void note(const Catch::AssertionResult& result) {
    const std::string message(result.getMessage());
    const char* path = std::getenv("YATLAB_TEST_TOTALS");
    if (path && result.getResultType() == Catch::ResultWas::Warning && message.rfind("skipped: ", 0) == 0) {
      std::ofstream(path, std::ios::app) << message << "\n";
    }
  }
  static void note(const Catch::TestCaseInfo& test, const Catch::Counts& cases) {
    const char* path = std::getenv("YATLAB_TEST_TOTALS");
    if (!path || cases.failed == 0) return;
    std::string file(test.lineInfo.file);
    const std::string source = YATLAB_SOURCE_DIR "/";
    if (file.rfind(source, 0) == 0) file.erase(0, source.size());
    std::ofstream(path, std::ios::app) << "failed: " << test.name << "  (" << file << ":" << test.lineInfo.line << ")\n";
  }
  static void write(const Catch::Counts& cases) {
    if (const char* path = std::getenv("YATLAB_TEST_TOTALS")) {
      std::ofstream(path, std::ios::app) << cases.passed << " " << cases.failed << "\n";
    }
  }
};
CATCH_REGISTER_LISTENER(Totals)

}  // namespace
