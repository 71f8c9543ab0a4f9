// run.sh, with a program that only says where it stands and what it was given.

#include <fstream>
#include <string>

#include "catch.h"
#include "core/base/process.h"
#include "temporary_folder.h"

namespace yatlab::testing {
namespace {

/// A tree with run.sh, two experiments and such a program, and a folder of a caller elsewhere.
class ScriptTree {
 public:
  ScriptTree() {
    fs::create_directories(tree() / "build/release/bin");
    fs::create_directories(tree() / "experiments/sweeps");
    fs::create_directories(tree() / "results/xor/latest");
    fs::create_directories(caller());
    fs::copy(fs::path(YATLAB_SOURCE_DIR) / "run.sh", tree() / "run.sh");
    for (const char* name : {"xor.yaml", "sweeps/epsilon.yaml"}) std::ofstream(tree() / "experiments" / name) << "arms: {}\n";
    const fs::path program = tree() / "build/release/bin/yatlab";
    std::ofstream(program) << "#!/bin/sh\nprintf 'in %s:' \"$(basename \"$PWD\")\"; printf ' <%s>' \"$@\"\n";
    fs::permissions(program, fs::perms::owner_all);
  }
  fs::path tree() const { return folder_.path() / "a tree ⵟ"; }
  fs::path caller() const { return folder_.path() / "caller"; }
  /// What the program printed when `words` were typed after run.sh, in `directory`.
  std::string type(const std::string& words, const fs::path& directory) const {
    const auto result = run_process({"bash", "-c", "YATLAB_BUILD=skip YATLAB_PRESET=release '" + (tree() / "run.sh").string() + "' " + words}, directory);
    CHECK(result.status == 0);
    return result.output;
  }
  std::string type(const std::string& words) const { return type(words, caller()); }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("run.sh finds this project's experiments and runs from any folder, whatever comes first", "[docs][run_script]") {
  const ScriptTree t;
  CHECK(t.type("experiments/xor.yaml seeds=[1]") == "in a tree ⵟ: <experiments/xor.yaml> <seeds=[1]>");
  CHECK(t.type("--quiet experiments/xor.yaml") == "in a tree ⵟ: <--quiet> <experiments/xor.yaml>");
  CHECK(t.type("plan experiments/xor") == "in a tree ⵟ: <plan> <experiments/xor>");
  CHECK(t.type("xor") == "in a tree ⵟ: <xor>");
  CHECK(t.type("-m xor.yaml a=1,2") == "in a tree ⵟ: <-m> <xor.yaml> <a=1,2>");
  CHECK(t.type("sweeps/epsilon") == "in a tree ⵟ: <sweeps/epsilon>");
  CHECK(t.type("report results/xor/latest") == "in a tree ⵟ: <report> <results/xor/latest>");
  CHECK(t.type("\"+arms.a b=['operator=yat']\" xor") == "in a tree ⵟ: <+arms.a b=['operator=yat']> <xor>");
}

TEST_CASE("run.sh leaves the caller where they are when the words are theirs", "[docs][run_script]") {
  const ScriptTree t;
  CHECK(t.type("list operator") == "in caller: <list> <operator>");
  CHECK(t.type("describe operator/yat") == "in caller: <describe> <operator/yat>");
  CHECK(t.type("nosuch.yaml") == "in caller: <nosuch.yaml>");
  CHECK(t.type("config=experiments/xor.yaml") == "in caller: <config=experiments/xor.yaml>");
  std::ofstream(t.caller() / "xor.yaml") << "arms: {}\n";
  CHECK(t.type("xor.yaml") == "in caller: <xor.yaml>");
  CHECK(t.type("xor") == "in caller: <xor>");
  CHECK(t.type("experiments/xor.yaml", t.tree()) == "in a tree ⵟ: <experiments/xor.yaml>");
}

TEST_CASE("a library that the caller names stays the caller's when run.sh goes to the project", "[docs][run_script]") {
  const ScriptTree t;
  std::ofstream(t.caller() / "mine.so") << "";
  const std::string library = fs::canonical(t.caller() / "mine.so").string();
  CHECK(t.type("--plugin mine.so xor") == "in a tree ⵟ: <--plugin> <" + library + "> <xor>");
  CHECK(t.type("xor --plugin=mine.so") == "in a tree ⵟ: <xor> <--plugin=" + library + ">");
  CHECK(t.type("--plugin mine.so list operator") == "in caller: <--plugin> <mine.so> <list> <operator>");
}

}  // namespace yatlab::testing
