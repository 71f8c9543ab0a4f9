// Libraries from outside the tree, named in every place that docs/plugins.md lists.

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"
#include "core/base/hash.h"

namespace yatlab {
namespace {

using testing::Answer;
using testing::Desk;
using testing::holds;
using testing::kTinyExperiment;

const fs::path kLibrary = fs::path(YATLAB_OUT_OF_TREE) / "rational.so";

/// A desk with the library in lib/ and an arm that needs it.
struct LibraryDesk {
  Desk desk{std::string(kTinyExperiment) + "  rational: [operator=rational, operator.scale=2.0]\n"};
  LibraryDesk() {
    fs::create_directory(desk.path() / "lib");
    fs::copy_file(kLibrary, library());
    fs::create_directory_symlink(fs::path(YATLAB_OUT_OF_TREE) / "configs", desk.path() / "lib/configs");
  }
  fs::path library() const { return desk.path() / "lib/rational.so"; }
  Answer ask(const std::string& line) const { return desk.ask_shell("yatlab " + line); }
  /// Writes the experiment again, with `plugins`, in a subfolder.
  void write(const std::string& file, const std::string& plugins) const {
    const fs::path path = desk.path() / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << read_file(desk.path() / "tiny.yaml") << plugins;
  }
};

std::string broken(const std::string& fault) { return (fs::path(YATLAB_TEST_PLUGINS) / (fault + ".so")).string(); }

std::string sha256_recorded(const fs::path& run) {
  const auto environment = nlohmann::json::parse(read_file(run / "environment.json"));
  REQUIRE(environment.at("plugins").size() == 1);
  CHECK(environment.at("plugins")[0].at("name") == "rational_kernel");
  CHECK(environment.at("plugins")[0].at("components") == nlohmann::json({"operator/rational"}));
  return environment.at("plugins")[0].at("sha256");
}

}  // namespace

TEST_CASE("--plugin loads a library's components before or after the command", "[cli][plugins]") {
  const LibraryDesk there;
  for (const char* line :
       {"--plugin lib/rational.so list operator", "--plugin=lib/rational.so list operator", "list operator --plugin lib/rational.so",
        "list --plugin lib/rational.so operator", "--plugin lib list operator", "--plugin $PWD/lib/rational.so list operator"}) {
    INFO(line);
    const auto answer = there.ask(line);
    CHECK(answer.status == 0);
    CHECK(holds(answer.output, "\n  rational "));
  }
  CHECK_FALSE(holds(there.ask("list operator").output, "\n  rational "));
  const auto described = there.ask("--plugin lib/rational.so describe operator/rational");
  CHECK(described.status == 0);
  CHECK(holds(described.output, "registered by " + fs::canonical(there.library()).string() + " (rational.cpp:"));
  CHECK(holds(described.output, "scale = 1.0"));

  CHECK(holds(there.ask("plan tiny.yaml").output, "'rational' is not an option of the group 'operator'"));
  for (const char* line :
       {"--plugin lib/rational.so plan tiny.yaml", "plan tiny.yaml --plugin lib", "plan tiny.yaml plugins.path=[lib/rational.so]",
        "plan tiny.yaml +plugins.path=[lib]", "plan plugins.path=[lib] -cn tiny", "plan tiny.yaml \"plugins={path: ['lib/rational.so']}\"",
        "plan tiny.yaml 'plugins.path=extend_list(lib)'"}) {
    INFO(line);
    const auto answer = there.ask(line);
    INFO(answer.output);
    CHECK(answer.status == 0);
    CHECK(holds(answer.output, "tiny: 3 arms x 1 seed = 3 jobs\n"));
  }
  // Its configs join the search path.
  CHECK(there.ask("config tiny.yaml --arm rational plugins.path=[lib] -p operator").output == "name: rational\nscale: 2.0\n");
  CHECK(holds(there.ask("config tiny.yaml --arm rational --plugin lib --explain operator.name").output, "configs/operator/rational.yaml:"));
  CHECK(holds(there.ask("config tiny.yaml --plugin lib --info plugins").output,
              "rational_kernel 1.0  " + fs::canonical(there.library()).string()));
  CHECK(holds(there.ask("config tiny.yaml --plugin lib --info searchpath").output,
              fs::canonical(there.desk.path() / "lib").string() + "/configs"));
}

TEST_CASE("a run trains with a plugin's operator and records the library", "[cli][plugins]") {
  const LibraryDesk there;
  const auto run = there.ask("tiny.yaml plugins.path=[lib/rational.so] '~arms.linear'");
  INFO(run.output);
  REQUIRE(run.status == 0);
  const fs::path latest = there.desk.run();
  const auto summary = nlohmann::json::parse(read_file(latest / "summary.json"));
  CHECK(summary.at("arms").at("rational").at("n") == 1);
  CHECK(summary.at("arms").at("rational").at("metrics").contains("test/accuracy"));
  CHECK(holds(read_file(latest / "jobs/rational/seed=0/job.yaml"), "name: rational\n"));
  CHECK(sha256_recorded(latest) == sha256_file(there.library()));

  // The same jobs with the library named another way: nothing is trained again.
  CHECK(holds(there.ask("--plugin lib/rational.so tiny.yaml '~arms.linear'").output, "2 of 2 jobs already done"));
  // Another library of the same name gives other jobs to the arms that use it.
  const auto before = fs::canonical(latest);
  std::ofstream(there.library(), std::ios::app | std::ios::binary) << "one more byte";
  const auto other = there.ask("tiny.yaml --plugin lib/rational.so '~arms.linear'");
  CHECK(other.status == 0);
  CHECK(holds(other.output, "1 of 2 jobs already done (1 reused from earlier runs)"));
  CHECK(fs::canonical(latest) != before);
  CHECK(sha256_recorded(latest) == sha256_file(there.library()));
  CHECK(sha256_recorded(latest) != sha256_file(kLibrary));

  // A report needs only files.
  for (const char* line : {"report results/tiny/latest --no-figures", "--plugin lib/rational.so report results/tiny/latest --no-figures"}) {
    INFO(line);
    const auto answer = there.ask(line);
    CHECK(answer.status == 0);
  }
}

TEST_CASE("plugins.path is relative to its file or on the command line to the caller", "[cli][plugins]") {
  const LibraryDesk there;
  there.write("mine/beside.yaml", "plugins: {path: [../lib/rational.so]}\n");
  there.write("mine/caller.yaml", "plugins: {path: [lib/rational.so]}\n");
  fs::create_directory_symlink(fs::canonical(there.desk.path() / "configs"), there.desk.path() / "mine/configs");
  CHECK(holds(there.ask("plan mine/beside.yaml").output, "3 arms x 1 seed"));
  CHECK(holds(there.ask("plan beside").output, "there is no experiment 'beside'"));
  CHECK(holds(there.desk.ask_shell("cd mine && yatlab plan beside.yaml").output, "3 arms x 1 seed"));
  const auto wrong = there.ask("plan mine/caller.yaml");
  CHECK(wrong.status == 2);
  CHECK(wrong.output ==
        "error: plugin library not found\n  at: mine/lib/rational.so\n  why: No such file or directory\n"
        "  try: check 'plugins.path' and '--plugin'\n");
  // The command line replaces the file's list.
  CHECK(holds(there.ask("plan mine/caller.yaml plugins.path=[lib/rational.so]").output, "3 arms x 1 seed"));
  there.write("variable.yaml", "plugins: {path: ['${oc.env:KERNELS}/rational.so']}\n");
  CHECK(holds(there.ask("plan variable.yaml").output, "'KERNELS' is not set"));
  CHECK(holds(there.desk.ask_shell("KERNELS=lib yatlab plan variable.yaml").output, "3 arms x 1 seed"));
  // A place that is read too late is an error, not ignored.
  there.write("late.yaml", "scales: {big: ['plugins.path=[lib/rational.so]']}\n");
  const auto late = there.ask("plan late.yaml scale=big '~arms.rational'");
  CHECK(late.status == 2);
  CHECK(holds(late.output,
              "error: plugins.path is [lib/rational.so], but [] was loaded\n  at: scale big (plugins.path=[lib/rational.so])\n"));
  CHECK(holds(late.output, "on the command line: plugins.path=[lib/rational.so]\n"));
  CHECK(holds(there.ask("plan late.yaml plugins.path=[lib/rational.so] scale=big").output, "3 arms x 1 seed"));
}

TEST_CASE("several plugin libraries and folders load and broken ones are reported", "[cli][plugins]") {
  const LibraryDesk there;
  fs::copy_file(broken("none"), there.desk.path() / "lib/none.so");
  for (const char* line : {"--plugin lib list operator probe", "--plugin lib/none.so --plugin lib/rational.so list operator probe"}) {
    INFO(line);
    const auto answer = there.ask(line);
    CHECK(answer.status == 0);
    CHECK(holds(answer.output, "\n  rational "));
    CHECK(holds(answer.output, "  added_by_hand "));
  }
  CHECK(holds(there.ask("plan tiny.yaml plugins.path=[lib/none.so,lib/rational.so]").output, "3 arms x 1 seed"));
  CHECK(holds(there.ask("plan tiny.yaml plugins.path=[lib]").output, "3 arms x 1 seed"));
  // Files named by the experiment and by the option are combined.
  CHECK(holds(there.ask("--plugin lib/none.so plan tiny.yaml plugins.path=[lib/rational.so]").output, "3 arms x 1 seed"));

  const std::pair<std::string, std::string> cases[] = {
      {broken("api"), "error: plugin 'api' was built for a different plugin API\n"},
      {broken("throws"), "error: the initialiser of plugin 'throws' failed\n"},
      {broken("undefined_symbol"), "error: plugin library 'undefined_symbol.so' needs a symbol that does not exist\n"},
      {"nowhere.so", "error: plugin library not found\n"},
      {"tiny.yaml", "error: 'tiny.yaml' is not a shared library\n"},
  };
  for (const auto& [library, message] : cases) {
    for (const std::string& line :
         {"--plugin " + library + " list operator", "describe operator/yat --plugin " + library,
          "plan tiny.yaml plugins.path=[" + library + "]", "tiny.yaml plugins.path=[lib/rational.so," + library + "]",
          "config tiny.yaml plugins.path=[" + library + "]", "report --plugin " + library + " results/tiny/latest"}) {
      INFO(line);
      const auto answer = there.ask(line);
      INFO(answer.output);
      CHECK(answer.status == 2);
      CHECK(answer.output.rfind(message, 0) == 0);
    }
  }
  CHECK_FALSE(fs::exists(there.desk.path() / "results"));
  const auto text = there.ask("plan tiny.yaml plugins.path=lib/rational.so");
  CHECK(text.output ==
        "error: plugins.path must be a list of libraries, found lib/rational.so\n  at: command line (plugins.path=lib/rational.so)\n"
        "  try: write plugins.path=[lib/rational.so]\n");
  CHECK(there.ask("--plugin").status == 2);
}

}  // namespace yatlab
