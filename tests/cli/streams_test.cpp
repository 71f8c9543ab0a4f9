// Output that nobody takes.

#include <sys/wait.h>

#include <cstdlib>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;
/// The exit code of the program behind a shell, which redirects; messages go to the file "messages".
int through_shell(const Desk& desk, const std::string& arguments) {
  const auto line = "cd '" + desk.path().string() + "' && YATLAB_DATA= '" + testing::program() + "' " + arguments + " 2>messages";
  const int status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("a closed stdout loses nothing but what would have been printed", "[cli][streams]") {
  const Desk desk(testing::kTinyArm);
  CHECK(through_shell(desk, "tiny.yaml <&- >&-") == 0);
  CHECK(read_file(desk.path() / "messages").empty());
  CHECK(nlohmann::json::parse(read_file(desk.run() / "summary.json")).at("status") == "complete");
  // Whatever was opened first did not become what is printed to.
  for (const auto& [name, text] : testing::job_files(desk.run(), true)) {
    INFO(name);
    CHECK_FALSE(holds(text, "summary.json ->"));
  }
  CHECK_FALSE(holds(read_file(desk.run() / "log.txt"), "summary.json ->"));
}

TEST_CASE("output that cannot be written is an error, but the work is done", "[cli][streams]") {
  const Desk desk(testing::kTinyArm);
  for (const char* command : {"--help", "list", "tiny.yaml"}) {
    INFO(command);
    CHECK(through_shell(desk, std::string(command) + " >/dev/full") == 1);
    const auto messages = read_file(desk.path() / "messages");
    INFO(messages);
    CHECK(holds(messages, "error: "));
    CHECK(holds(messages, "No space left on device"));
    CHECK_FALSE(holds(messages, "a bug"));
  }
  CHECK(nlohmann::json::parse(read_file(desk.run() / "summary.json")).at("status") == "complete");
}

}  // namespace yatlab
