// Catch2's main, and a listener that appends "<passed> <failed>" test cases to the file named by
// YATLAB_TEST_TOTALS, from which `run.sh test` adds up its last line.
#if YATLAB_CATCH_MAJOR < 3
#define CATCH_CONFIG_MAIN
#endif
#include "catch.h"

#include <cstdlib>
#include <fstream>

namespace {

#if YATLAB_CATCH_MAJOR >= 3
class Totals : public Catch::EventListenerBase {
 public:
  using EventListenerBase::EventListenerBase;
  void testRunEnded(const Catch::TestRunStats& stats) override { write(stats.totals.testCases); }
#else
class Totals : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;
  void testRunEnded(const Catch::TestRunStats& stats) override {
    write(stats.totals.testCases);
    TestEventListenerBase::testRunEnded(stats);
  }
#endif

 private:
  static void write(const Catch::Counts& cases) {
    if (const char* path = std::getenv("YATLAB_TEST_TOTALS")) {
      std::ofstream(path, std::ios::app) << cases.passed << " " << cases.failed << "\n";
    }
  }
};
CATCH_REGISTER_LISTENER(Totals)

}  // namespace
