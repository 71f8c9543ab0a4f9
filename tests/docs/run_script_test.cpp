// run.sh, with a program that only prints its working directory and arguments.

#include <fstream>
#include <map>
#include <string>

#include "catch.h"
#include "core/base/files.h"
#include "core/base/process.h"
#include "holds.h"
#include "temporary_folder.h"

namespace yatlab::testing {
namespace {

/// A tree with run.sh and such a program, and a caller's folder outside it.
class ScriptTree {
 public:
  ScriptTree() {
    fs::create_directories(tree() / "build/release/bin");
    fs::create_directories(caller());
    fs::copy(fs::path(YATLAB_SOURCE_DIR) / "run.sh", tree() / "run.sh");
    const fs::path program = tree() / "build/release/bin/yatlab";
    std::ofstream(program) << "#!/bin/sh\nprintf 'in %s:' \"$(basename \"$PWD\")\"; printf ' <%s>' \"$@\"\n";
    fs::permissions(program, fs::perms::owner_all);
  }
  fs::path tree() const { return folder_.path() / "a tree ⵟ"; }
  fs::path caller() const { return folder_.path() / "caller"; }
  /// The program's output when `words` are typed after run.sh, in `directory`.
  std::string type(const std::string& words, const fs::path& directory) const {
    const auto result =
        run_process({"bash", "-c", "YATLAB_BUILD=skip YATLAB_PRESET=release '" + (tree() / "run.sh").string() + "' " + words}, directory);
    CHECK(result.status == 0);
    return result.output;
  }
  std::string type(const std::string& words) const { return type(words, caller()); }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("run.sh passes all arguments on and keeps the working directory", "[docs][run_script]") {
  const ScriptTree t;
  CHECK(t.type("experiments/xor.yaml seeds=[1]") == "in caller: <experiments/xor.yaml> <seeds=[1]>");
  CHECK(t.type("-m xor a=1,2") == "in caller: <-m> <xor> <a=1,2>");
  CHECK(t.type("\"+arms.a b=['operator=yat']\" xor") == "in caller: <+arms.a b=['operator=yat']> <xor>");
  CHECK(t.type("--plugin mine.so list operator") == "in caller: <--plugin> <mine.so> <list> <operator>");
  CHECK(t.type("experiments/xor.yaml", t.tree()) == "in a tree ⵟ: <experiments/xor.yaml>");
}

TEST_CASE("run.sh sets the data folder for callers elsewhere", "[docs][run_script]") {
  const ScriptTree t;
  const std::string tree = fs::canonical(t.tree()).string();
  const auto data = [&](const std::string& set, const fs::path& directory) {
    std::ofstream(t.tree() / "build/release/bin/yatlab") << "#!/bin/sh\nprintf '%s' \"$YATLAB_DATA\"\n";
    return run_process(
               {"bash", "-c",
                "unset YATLAB_DATA; " + set + " YATLAB_BUILD=skip YATLAB_PRESET=release '" + (t.tree() / "run.sh").string() + "' xor"},
               directory)
        .output;
  };
  CHECK(data("", t.caller()) == tree + "/data:" + tree + "/../shared/data");
  CHECK(data("YATLAB_DATA=mine", t.caller()) == "mine");
  CHECK(data("", t.tree()).empty());
}

TEST_CASE("run.sh passes on how it was called except to tests", "[docs][run_script]") {
  const ScriptTree t;
  std::ofstream(t.tree() / "build/release/bin/yatlab") << "#!/bin/sh\nprintf '<%s>' \"$YATLAB_CALLED_AS\"\n";
  const auto said = [&](const std::string& line, const fs::path& directory) {
    return run_process({"bash", "-c", "unset YATLAB_CALLED_AS; export YATLAB_BUILD=skip YATLAB_PRESET=release; " + line}, directory).output;
  };
  CHECK(said("./run.sh plugin new operator x", t.tree()) == "<./run.sh>");
  CHECK(said("'../a tree ⵟ/run.sh' plugin build x", t.caller()) == "<../a tree ⵟ/run.sh>");
  CHECK(said("bash run.sh plugin build x", t.tree()) == "<./run.sh>");
  CHECK(said("./run.sh list", t.tree()) == "<./run.sh>");
  CHECK(said("./run.sh test base", t.tree()) == "<>");
}

TEST_CASE("completion through run.sh never builds", "[docs][run_script]") {
  const ScriptTree t;
  CHECK(t.type("complete -- xo") == "in caller: <complete> <--> <xo>");
  fs::remove(t.tree() / "build/release/bin/yatlab");
  const auto none = run_process({"bash", "-c", "'" + (t.tree() / "run.sh").string() + "' complete -- xo"}, t.caller());
  CHECK(none.status == 0);
  CHECK(none.output.empty());
}

TEST_CASE("presets without a program run their tests with the release program", "[docs][run_script]") {
  const ScriptTree t;
  const auto type = [&](const std::string& words) {
    return run_process({"bash", "-c", "YATLAB_BUILD=skip YATLAB_PRESET=fuzz '" + (t.tree() / "run.sh").string() + "' " + words},
                       t.caller());
  };
  CHECK(type("test base").output == "in caller: <test> <base> <--programs> <" + fs::canonical(t.tree()).string() + "/build/fuzz/bin>");
  CHECK(type("fuzz yaml 5").output == "in caller: <fuzz> <yaml> <5>");
  const auto other = type("xor");
  CHECK(other.status == 2);
  CHECK(other.output.find("the preset 'fuzz' has no program, only tests") != std::string::npos);
}

TEST_CASE("run.sh builds what a command needs and YATLAB_BUILD=only runs nothing", "[docs][run_script]") {
  const ScriptTree t;
  for (const char* folder : {"tests/base", "tests/trackers/wandb", "plugins/claims"}) fs::create_directories(t.tree() / folder);
  std::ofstream(t.tree() / "plugins/claims/mercer.cpp") << "// a source";
  // Fake CMake and Ninja, which print their arguments.
  const fs::path tools = t.caller() / "tools";
  fs::create_directories(tools);
  for (const char* tool : {"cmake", "ninja"}) {
    std::ofstream(tools / tool) << "#!/bin/sh\nprintf '" << tool << " %s\\n' \"$*\" >>'" << (t.caller() / "asked").string() << "'\n";
    fs::permissions(tools / tool, fs::perms::owner_all);
  }
  const auto asked = [&](const std::string& setting, const std::string& words) {
    const auto out = run_process({"bash", "-c",
                                  "unset CI YATLAB_BUILD TORCH_ROOT VIRTUAL_ENV CONDA_PREFIX; export YATLAB_SETUP=skip PATH='" +
                                      tools.string() + "':$PATH; " + setting + " '" + (t.tree() / "run.sh").string() + "' " + words},
                                 t.caller());
    CHECK(out.status == 0);
    const auto file = t.caller() / "asked";
    const std::string said = fs::exists(file) ? read_file(file) : "";
    fs::remove(file);
    return said + out.output;
  };
  const std::string release = "cmake --preset release\n", ran = "in caller: ";
  CHECK(asked("YATLAB_PRESET=release", "xor") == release + "ninja -C build/release yatlab\n" + ran + "<xor>");
  CHECK(asked("YATLAB_PRESET=release YATLAB_BUILD=only", "xor") == release + "ninja -C build/release yatlab\n");
  CHECK(asked("YATLAB_PRESET=release YATLAB_BUILD=only", "test base") ==
        "cmake --preset release -DYATLAB_TESTS=ON\nninja -C build/release yatlab test_base\n");
  for (const auto& [words, target] : std::map<std::string, std::string>{{"test", "quick_tests"},
                                                                        {"test -j 1", "quick_tests"},
                                                                        {"test --all", "tests/all"},
                                                                        {"test --filter '[slow]'", "tests/all"},
                                                                        {"test base wandb --filter '[x]'", "test_base test_wandb"},
                                                                        {"test nonsense", "tests/all"}}) {
    INFO(words);
    CHECK(holds(asked("YATLAB_PRESET=release YATLAB_BUILD=only", words), "ninja -C build/release yatlab " + target + "\n"));
  }
  CHECK(asked("YATLAB_PRESET=fuzz YATLAB_BUILD=only", "test") == "cmake --preset fuzz -DYATLAB_TESTS=ON\nninja -C build/fuzz tests/all\n");
  CHECK(asked("YATLAB_PRESET=release YATLAB_BUILD=only", "fuzz yaml 5") ==
        "cmake --preset fuzz -DYATLAB_FUZZ=ON\nninja -C build/fuzz tests/fuzz/all\n");
  CHECK(asked("YATLAB_PRESET=tsan", "test") == "cmake --preset tsan -DYATLAB_TESTS=ON\nninja -C build/tsan tests/all\n" + release +
                                                   "ninja -C build/release yatlab\n" + ran + "<test> <--programs> <" +
                                                   fs::canonical(t.tree()).string() + "/build/tsan/bin>");
  CHECK(asked("YATLAB_PRESET=release YATLAB_BUILD=skip", "xor") == ran + "<xor>");
  // Packs: the named ones, all, and the built ones; leftovers of removed packs are deleted.
  CHECK(asked("YATLAB_PRESET=release", "build claims") == release + "ninja -C build/release yatlab pack_claims\n");
  CHECK(asked("YATLAB_PRESET=release", "build") == release + "ninja -C build/release yatlab packs\n");
  const auto packs = t.tree() / "build/release/lib/yatlab";
  fs::create_directories(packs);
  for (const char* pack : {"claims.so", "gone.so"}) std::ofstream(packs / pack) << "a library";
  CHECK(asked("YATLAB_PRESET=release", "xor") == release + "ninja -C build/release yatlab pack_claims\n" + ran + "<xor>");
  CHECK(fs::exists(packs / "claims.so"));
  CHECK_FALSE(fs::exists(packs / "gone.so"));
  const auto no_pack = run_process(
      {"bash", "-c", "unset YATLAB_BUILD; YATLAB_SETUP=skip '" + (t.tree() / "run.sh").string() + "' build nonsense"}, t.caller());
  CHECK(no_pack.status == 2);
  CHECK(no_pack.output == "error: there is no pack 'nonsense'; there are: claims\n");
  const auto wrong = run_process({"bash", "-c", "YATLAB_BUILD=sometimes '" + (t.tree() / "run.sh").string() + "' xor"}, t.caller());
  CHECK(wrong.status == 2);
  CHECK(wrong.output == "error: YATLAB_BUILD=sometimes is unknown; choices: skip, only\n");
}

}  // namespace yatlab::testing
