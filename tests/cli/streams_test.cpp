// Output streams that are closed or full.

#include <sys/wait.h>

#include <cstdlib>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;
/// The exit code of the program run by a shell, which redirects; messages go to the file "messages".
int through_shell(const Desk& desk, const std::string& arguments) {
  const auto line = "cd '" + desk.path().string() + "' && YATLAB_DATA= '" + testing::program() + "' " + arguments + " 2>messages";
  const int status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The exit code of the program piped into `head`; its stderr goes to the file "messages".
int into_head(const Desk& desk, const std::string& arguments) {
  const auto line = "bash -c \"cd '" + desk.path().string() + "' && YATLAB_DATA= '" + testing::program() + "' " + arguments +
                    " 2>messages | head -n 1 >head; exit \\${PIPESTATUS[0]}\"";
  const int status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("a closed pipe ends a command and a run saves first", "[cli][streams]") {
  const Desk desk(testing::kTinyExperiment);
  CHECK(into_head(desk, "plan tiny.yaml 'seeds=range(0,20000)'") == 141);  // more than a pipe holds
  CHECK(read_file(desk.path() / "messages").empty());
  CHECK_FALSE(read_file(desk.path() / "head").empty());

  const std::vector<std::string> command = {"tiny.yaml", "trainer.epochs=60", "seeds=range(0,4)", "launcher.workers=1"};
  const Desk unbroken(testing::kTinyExperiment);
  REQUIRE(unbroken.ask(command).status == 0);
  const int status = into_head(desk, "tiny.yaml trainer.epochs=60 'seeds=range(0,4)' launcher.workers=1");
  const auto messages = read_file(desk.path() / "messages");
  INFO(messages);
  CHECK(status == 141);
  CHECK(holds(messages, "interrupted; everything is saved. Run the same command again to continue."));
  CHECK_FALSE(holds(messages, "tracker 'console'"));
  CHECK(nlohmann::json::parse(read_file(desk.run() / "summary.json")).at("status") == "partial");
  CHECK(desk.ask(command).status == 0);
  CHECK(testing::differences(testing::job_files(unbroken.run()), testing::job_files(desk.run())).empty());
}

TEST_CASE("a closed stdout loses only printed output", "[cli][streams]") {
  const Desk desk(testing::kTinyArm);
  CHECK(through_shell(desk, "tiny.yaml <&- >&-") == 0);
  CHECK(read_file(desk.path() / "messages").empty());
  CHECK(nlohmann::json::parse(read_file(desk.run() / "summary.json")).at("status") == "complete");
  // No file was opened under a closed standard stream's descriptor and printed to.
  for (const auto& [name, text] : testing::job_files(desk.run(), true)) {
    INFO(name);
    CHECK_FALSE(holds(text, "summary.json ->"));
  }
  CHECK_FALSE(holds(read_file(desk.run() / "log.txt"), "summary.json ->"));
}

TEST_CASE("unwritable output is an error but the work is done", "[cli][streams]") {
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
