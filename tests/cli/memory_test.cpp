// Little memory: a clear error, at once, whatever the limit.
#include <sys/wait.h>
#include <cstdlib>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;

}  // namespace

TEST_CASE("too little address space gives an error instead of a crash or a hang", "[cli][memory][slow]") {
  const Desk desk(testing::kTinyExperiment);
  int refused = 0, whole = 0;
  for (int megabytes = 500; megabytes <= 2000; megabytes += 75) {
    INFO(megabytes << " MB");
    const auto line = "cd '" + desk.path().string() + "' && rm -rf results && ulimit -v " + std::to_string(megabytes * 1024) +
                      " && YATLAB_DATA= OPENBLAS_NUM_THREADS=2 timeout -s KILL 60 '" + testing::program() +
                      "' tiny.yaml launcher.workers=2 --quiet >messages 2>&1";
    const int status = std::system(line.c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    const auto said = read_file(desk.path() / "messages");
    INFO(said);
    if (code == 127 && holds(said, "error while loading shared libraries")) continue;  // not even the program fits
    CHECK((code == 0 || code == 1));
    if (code == 1) CHECK(holds(said, "out of memory"));
    (code == 0 ? whole : refused) += 1;
  }
  CHECK(refused > 0);
  CHECK(whole > 0);
}

}  // namespace yatlab
