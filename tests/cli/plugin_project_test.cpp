// A project outside the tree, from `plugin new` to a run, in a folder whose name a shell would split. A schedule, since it compiles without LibTorch.

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;

/// The commands under "next:".
std::vector<std::string> next_commands(const std::string& output) {
  std::vector<std::string> out;
  std::istringstream lines(output.substr(std::min(output.size(), output.find("next:"))));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) out.push_back(line);
  return out;
}

}  // namespace

TEST_CASE("plugin new and plugin build reject invalid requests", "[cli][plugins]") {
  const Desk desk;
  const auto built = desk.ask_shell("yatlab plugin build .");
  CHECK(built.status == 2);
  CHECK(holds(built.output, "error: there is no plugin project here\n  at: .\n  why: it has no CMakeLists.txt\n"));
  CHECK_FALSE(fs::exists(desk.path() / "build"));
  CHECK(holds(desk.ask_shell("yatlab plugin build").output, "try: yatlab plugin build my_kernels\n"));
  const auto lost = desk.ask_shell("yatlab plugin new operator mine");
  CHECK(lost.status == 2);
  CHECK(holds(lost.output, "create your own project: yatlab plugin new operator mine --project my_kernels\n"));
  CHECK(desk.ask_shell("yatlab plugin new operator mine --project a --root .").status == 2);
  CHECK_FALSE(fs::exists(desk.path() / "a"));
}

TEST_CASE("a plugin project outside the tree can be built, run and repaired", "[cli][plugins][slow]") {
  const Desk desk;
  const fs::path project = desk.path() / "my own";
  const auto made = desk.ask_shell("yatlab plugin new schedule mine --project 'my own'");
  INFO(made.output);
  REQUIRE(made.status == 0);
  const auto after = next_commands(made.output);
  REQUIRE(after.size() == 2);
  CHECK(after[0] == "  yatlab plugin build 'my own'");

  const auto built = desk.ask_shell(after[0]);
  INFO(built.output);
  REQUIRE(built.status == 0);
  CHECK(holds(built.output, "my own/build/my_own.so: schedule/mine\n"));
  const auto library = fs::last_write_time(project / "build/my_own.so");

  // The printed commands work, from this folder and, by full path, from others.
  CHECK(next_commands(built.output)[0] == after[1]);
  const auto run = desk.ask_shell(after[1] + " trainer.epochs=1 seeds=[0] --quiet");
  INFO(run.output);
  CHECK(run.status == 0);
  CHECK(desk.ask_shell("mkdir elsewhere; cd elsewhere; yatlab plan ../my*/experiments/mine.yaml").status == 0);
  const auto listed = desk.ask_shell(next_commands(built.output)[1]);
  CHECK(listed.status == 0);
  CHECK(holds(listed.output, "mine"));

  // A config alone also goes into the library's folder; nothing is compiled or linked for it.
  std::ofstream(project / "configs/schedule/mine.yaml") << "name: mine\nperiod: 7\n";
  REQUIRE(desk.ask_shell(after[0]).status == 0);
  CHECK(fs::last_write_time(project / "build/my_own.so") == library);
  CHECK(read_file(project / "build/configs/schedule/mine.yaml") == "name: mine\nperiod: 7\n");

  // A compile error is shown with its place, without the compiler's command line.
  const auto source = read_file(project / "src/mine.cpp");
  std::ofstream(project / "src/mine.cpp") << source << "int broken = nosuch;\n";
  const auto broken = desk.ask_shell(after[0]);
  INFO(broken.output);
  CHECK(broken.status == 2);
  CHECK(holds(broken.output, "the library could not be built; the existing one is older than its sources"));
  CHECK(holds(broken.output, "src/mine.cpp:"));
  CHECK(holds(broken.output, "nosuch"));
  CHECK_FALSE(holds(broken.output, "-isystem"));
  CHECK(holds(broken.output, "my own/build/plugin.log"));

  // An error that only the loader can detect.
  std::ofstream(project / "src/mine.cpp") << source << "int undefined_one();\nint wanted = undefined_one();\n";
  const auto undefined = desk.ask_shell(after[0]);
  CHECK(undefined.status == 2);
  CHECK(holds(undefined.output, "undefined_one"));
  std::ofstream(project / "src/mine.cpp") << source;
  CHECK(desk.ask_shell(after[0]).status == 0);
}

TEST_CASE("the example project builds, passes its tests and can be planned", "[cli][plugins][slow]") {
  const Desk desk;
  const fs::path project = desk.path() / "my_kernel_plugin";
  fs::copy(fs::path(YATLAB_SOURCE_DIR) / "examples/my_kernel_plugin", project, fs::copy_options::recursive);
  fs::remove_all(project / "build");
  const auto built = desk.ask_shell("yatlab plugin build my_kernel_plugin --test");
  INFO(built.output);
  REQUIRE(built.status == 0);
  CHECK(holds(built.output, "my_kernel_plugin.so: operator/my_kernel\n"));
  CHECK(desk.ask_shell("yatlab plan my_kernel_plugin/experiments/my_kernel.yaml").status == 0);
}

}  // namespace yatlab
