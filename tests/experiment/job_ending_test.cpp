#include "plugins/cluster/launchers/job_ending.h"

#include <csignal>
#include <fstream>

#include "catch.h"
#include "holds.h"
#include "temporary_folder.h"

namespace yatlab {

using testing::holds;

TEST_CASE("a job process ends normally, by a crash or by preemption", "[launcher]") {
  const TemporaryFolder folder;
  const auto output = folder.path() / "output.txt";
  std::ofstream(output) << "first\n\nlast words\n";
  for (const int by_itself : {0, 1, 130, 138, 143}) CHECK(job_ending(by_itself, 0, output).crash.empty());
  const auto refused = job_ending(2, 0, output);
  CHECK(refused.crash == "its process ended with exit code 2\n  first\n  last words");
  CHECK_FALSE(refused.lost);
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) {
    CHECK(holds(job_ending(0, signal, output).crash, "its process was killed by signal " + std::to_string(signal)));
    CHECK_FALSE(job_ending(0, signal, output).lost);
  }
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGHUP}) CHECK(job_ending(0, signal, output).lost);
  CHECK(last_lines(folder.path() / "absent").empty());
  std::ofstream many(output);
  for (int i = 0; i < 100; ++i) many << "line " << i << "\n";
  many.close();
  CHECK(holds(last_lines(output), "line 90"));
  CHECK_FALSE(holds(last_lines(output), "line 89"));
}

}  // namespace yatlab
