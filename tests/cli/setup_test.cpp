// What run.sh does before there is a program, with fake dpkg-query, apt-get, cmake and ninja.
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <thread>

#include "catch.h"
#include "core/base/files.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/system/shell.h"
#include "holds.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

using testing::holds;
using Strings = std::vector<std::string>;

/// A checkout with only run.sh, and a system whose packages are listed in a file: "status architecture name, what it provides".
class Machine {
 public:
  Machine() {
    fs::create_directories(root());
    fs::create_directory(commands());
    fs::copy_file(fs::path(YATLAB_SOURCE_DIR) / "run.sh", root() / "run.sh");
    command("dpkg", "echo amd64");
    command("dpkg-query", R"sh(if [ "${!#}" = dpkg ]; then printf installed; exit; fi
cat "$machine/packages")sh");
    command("apt-get", R"sh(echo "$*" >>"$machine/asked"
[ "$1" != install ] || touch "$machine/installing")sh");
    command("id", "echo 0");
    command("cmake", R"sh(mkdir -p build/release && touch build/release/build.ninja)sh");
    command("ninja", "exit 0");
  }
  fs::path root() const { return folder_.path() / "checkout"; }
  fs::path commands() const { return folder_.path() / "commands"; }
  void command(const std::string& name, const std::string& script) const {
    std::ofstream(commands() / name) << "#!/bin/bash\nmachine=" << shell_word(folder_.path().string()) << "\n" << script << "\n";
    fs::permissions(commands() / name, fs::perms::owner_all);
  }
  void packages(const Strings& lines) const {
    std::ofstream out(folder_.path() / "packages");
    for (const auto& line : lines) out << line << "\n";
  }
  /// The words of a command line that runs run.sh.
  Strings words(const std::string& more = "") const {
    return {"env",
            "--default-signal",
            "-u",
            "YATLAB_PRESET",
            "-u",
            "YATLAB_SETUP",
            "-u",
            "VIRTUAL_ENV",
            "-u",
            "CONDA_PREFIX",
            "-u",
            "TORCH_ROOT",
            "YATLAB_BUILD=only",
            "PATH=" + commands().string() + ":" + std::getenv("PATH"),
            "bash",
            "-c",
            "exec bash " + shell_word((root() / "run.sh").string()) + " xor" + more};
  }
  ProcessResult run() const { return run_process(words(), folder_.path()); }
  /// The packages that apt-get was called for; "" for none.
  std::string installed() const {
    fs::remove(folder_.path() / "asked");
    const auto answer = run();
    INFO(answer.output);
    CHECK(answer.status == 0);
    if (!fs::exists(folder_.path() / "asked")) return {};
    const auto asked = read_file(folder_.path() / "asked");
    CHECK(holds(asked, "install -y --no-remove --no-install-recommends "));
    const std::string before = "--no-install-recommends ";
    return trim(asked.substr(asked.find(before) + before.size()));
  }
  const fs::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

/// The packages that run.sh requires for a run: "libpng-dev", "a|b".
Strings wanted() {
  const auto text = read_file(fs::path(YATLAB_SOURCE_DIR) / "run.sh");
  const auto begin = text.find("\npackages=("), end = text.find("\n)\n", begin);
  const auto list = text.substr(begin, end - begin);
  static const std::regex entry("\"([^\":]+):");
  Strings out = {"libtorch-dev"};
  for (std::sregex_iterator it(list.begin(), list.end(), entry), last; it != last; ++it) out.push_back((*it)[1]);
  return out;
}

std::string first_of(const std::string& choices) { return choices.substr(0, choices.find('|')); }

/// All but one, with the given line in its place.
Strings all_but(const std::string& missing, const std::string& line = "") {
  Strings out;
  for (const auto& package : wanted()) {
    if (package != missing) out.push_back("installed\tamd64\t" + first_of(package) + ", ");
  }
  if (!line.empty()) out.push_back(line);
  return out;
}

}  // namespace

TEST_CASE("run.sh installs exactly the missing packages", "[setup][shell]") {
  const Machine machine;
  REQUIRE(wanted().size() > 25);
  machine.packages(all_but(""));
  CHECK(machine.installed().empty());
  for (const auto& package : wanted()) {
    INFO(package);
    // The headers of another package are no substitute: libboost-dev has those of libboost-program-options-dev.
    machine.packages(all_but(package));
    CHECK(machine.installed() == first_of(package));
  }
}

TEST_CASE("run.sh accepts installed packages of this architecture and virtual packages", "[setup][shell]") {
  const Machine machine;
  for (const char* state : {"config-files", "half-installed", "unpacked", "half-configured", "not-installed"}) {
    INFO(state);
    machine.packages(all_but("libpng-dev", std::string(state) + "\tamd64\tlibpng-dev, "));
    CHECK(machine.installed() == "libpng-dev");
  }
  machine.packages(all_but("libpng-dev", "installed\ti386\tlibpng-dev, "));
  CHECK(machine.installed() == "libpng-dev");
  machine.packages(all_but("libpng-dev", "installed\tamd64\tlibpng-other, libpng12-dev, libpng-dev (= 1.6)"));
  CHECK(machine.installed().empty());
  machine.packages(all_but("libpng-dev", "installed\tall\tlibpng-dev-doc, "));
  CHECK(machine.installed() == "libpng-dev");
  // Two packages that exclude each other: the installed one suffices.
  machine.packages(all_but("libcurl4-openssl-dev|libcurl4-gnutls-dev", "installed\tamd64\tlibcurl4-gnutls-dev, libcurl-dev"));
  CHECK(machine.installed().empty());
}

TEST_CASE("run.sh looks for files if dpkg knows no packages", "[setup][shell]") {
  const Machine machine;
  machine.command("dpkg-query", "exit 1");
  machine.packages({});
  const auto asked = machine.installed();
  // This machine has them all, or no test would be built, except that LibTorch may not be Debian's.
  CHECK((asked.empty() || asked == "libtorch-dev"));
}

TEST_CASE("an interrupted run.sh reports the interruption and no failure", "[setup][shell]") {
  for (const bool configuring : {false, true}) {
    for (const auto& [signal, status] : {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}}) {
      INFO(signal << " " << configuring);
      const Machine machine;
      machine.packages(all_but(""));
      machine.command(configuring ? "cmake" : "ninja", R"sh(trap 'touch "$machine/ended"; exit 2' TERM
touch "$machine/begun"
while :; do sleep 0.05; done)sh");
      const auto run = start_process(machine.words(), machine.path() / "output");
      for (int i = 0; i < 400 && !fs::exists(machine.path() / "begun"); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(25));
      REQUIRE(::kill(run, signal) == 0);
      int ended = 0;
      REQUIRE(::waitpid(run, &ended, 0) == run);
      const auto output = read_file(machine.path() / "output");
      INFO(output);
      CHECK(WIFEXITED(ended));
      CHECK(WEXITSTATUS(ended) == status);
      CHECK(holds(output, "interrupted; what is built is kept"));
      CHECK_FALSE(holds(output, "failed"));
      CHECK_FALSE(holds(output, "error"));
      CHECK(fs::exists(machine.path() / "ended"));  // nothing continues in the background
    }
  }
  // A failing build makes run.sh fail.
  const Machine machine;
  machine.packages(all_but(""));
  machine.command("ninja", "exit 1");
  const auto failed = machine.run();
  CHECK(failed.status == 2);
  CHECK(holds(failed.output, "error: the build failed"));
}

}  // namespace yatlab
