// `yatlab test` and `yatlab fuzz` with shell scripts as programs: their counts, and their messages when something fails.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "catch.h"
#include "cli/support.h"
#include "core/base/text.h"

namespace yatlab {
namespace {

using testing::Answer;
using testing::Desk;
using testing::holds;

/// A tree as after a build, in the desk's folder "tree".
class Tree {
 public:
  Tree() {
    for (const char* folder : {"build/fuzz/bin", "tests/fuzz/corpus"}) fs::create_directories(path() / folder);
  }
  const Desk& desk() const { return desk_; }
  fs::path path() const { return desk_.path() / "tree"; }
  /// A program in build/fuzz/bin.
  void script(const std::string& name, const std::string& body) const {
    const fs::path file = path() / "build/fuzz/bin" / name;
    std::ofstream(file) << "#!/bin/sh\n" << body;
    fs::permissions(file, fs::perms::owner_all);
  }
  void input(const std::string& target, const std::string& name) const {
    fs::create_directories(path() / "tests/fuzz/corpus" / target);
    std::ofstream(path() / "tests/fuzz/corpus" / target / name) << name;
  }
  Answer ask(std::vector<std::string> words) const {
    words.insert(words.end(), {"--programs", (path() / "build/fuzz/bin").string()});
    return desk_.ask(words);
  }

 private:
  Desk desk_;
};

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  return text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end));
}

/// The text after `label` in its line.
std::string told(const std::string& text, const std::string& label) {
  const auto at = text.find(label);
  REQUIRE(at != std::string::npos);
  return text.substr(at + label.size(), text.find('\n', at) - at - label.size());
}

/// Like libFuzzer: runs files one by one, or generates inputs; "bad" ends it.
const char* kFuzzer =
    "for last; do :; done\n"
    "case \"$*\" in *-max_total_time=*)\n"
    "  for word; do case $word in -artifact_prefix=*) prefix=${word#*=};; esac; done\n"
    "  echo \"stat::number_of_executed_units: 1234\"\n"
    "  if [ -e \"$0.finds\" ]; then printf bad >\"$prefix\"crash-1; echo 'finding: it broke'; echo \"Test unit written to "
    "${prefix}crash-1\"; exit 77; fi\n"
    "  exit 0;;\n"
    "esac\n"
    "for file; do case $file in -*) continue;; esac\n"
    "  echo \"Running: $file\"\n"
    "  if grep -q bad \"$file\"; then echo 'x.cpp:1:2: runtime error: out of reach'; echo '    #0 in reader'; exit 77; fi\n"
    "done\n";

}  // namespace

TEST_CASE("fuzzing runs the kept inputs and then new ones and counts targets", "[cli][fuzz]") {
  const Tree tree;
  tree.script("fuzz_one", kFuzzer);
  tree.script("fuzz_two", kFuzzer);
  for (const char* name : {"a", "b"}) tree.input("one", name);
  tree.input("two", "a");
  const auto both = tree.ask({"fuzz", "3"});
  CHECK(both.status == 0);
  CHECK(holds(both.output, "2 kept inputs, 1234 new ones tried"));
  CHECK(holds(both.output, "1 kept inputs, 1234 new ones tried"));
  CHECK(last_line(both.output) == "2 passed, 0 failed");
  const auto one = tree.ask({"fuzz", "one", "0"});
  CHECK(holds(one.output, "[1/1] one "));
  CHECK(holds(one.output, "2 kept inputs\n"));
  CHECK(last_line(one.output) == "1 passed, 0 failed");
}

TEST_CASE("a fuzzing finding is shown with a command that reproduces it", "[cli][fuzz]") {
  const Tree tree;
  tree.script("fuzz_one", kFuzzer);
  tree.script("fuzz_two", kFuzzer);
  tree.input("one", "a");
  tree.input("two", "a");
  std::ofstream(tree.path() / "build/fuzz/bin/fuzz_one.finds");
  const auto found = tree.ask({"fuzz", "3", "-j", "1"});
  CHECK(found.status == 1);
  CHECK(holds(found.output, "  | finding: it broke\n"));
  CHECK(holds(found.output, "failures in: one\n"));
  CHECK(last_line(found.output) == "1 passed, 1 failed");
  CHECK(told(found.output, "  input: ") == "tree/build/fuzz/findings/one-crash-1");
  const auto again = tree.desk().ask_shell(told(found.output, "  again: "));
  CHECK(again.status == 77);
  CHECK(holds(again.output, "out of reach"));
  // Once kept, the input fails every time.
  CHECK(tree.desk().ask_shell(told(found.output, "  keep it once it is fixed: ")).status == 0);
  const auto kept = tree.ask({"fuzz", "one", "0"});
  CHECK(kept.status == 1);
  CHECK(holds(kept.output, "2 kept inputs; exit status 77\n  | x.cpp:1:2: runtime error: out of reach\n"));
  CHECK(told(kept.output, "  input: ") == "tree/tests/fuzz/corpus/one/one-crash-1");
  CHECK(tree.desk().ask_shell(told(kept.output, "  again: ")).status == 77);
}

TEST_CASE("fuzzing fails if inputs or targets are missing", "[cli][fuzz]") {
  const Tree tree;
  const auto none = tree.ask({"fuzz"});
  CHECK(none.status == 2);
  CHECK(holds(none.output, "there are no fuzz_* programs"));
  CHECK(holds(none.output, "./run.sh fuzz"));
  tree.script("fuzz_one", kFuzzer);
  const auto empty = tree.ask({"fuzz", "0"});
  CHECK(empty.status == 1);
  CHECK(holds(empty.output, "there are no inputs in tree/tests/fuzz/corpus/one"));
  CHECK(last_line(empty.output) == "0 passed, 1 failed");
  const auto unknown = tree.ask({"fuzz", "onn"});
  CHECK(unknown.status == 2);
  CHECK(holds(unknown.output, "error: there is no program 'onn'\n"));
  CHECK(holds(unknown.output, "programs: one"));
  CHECK(holds(unknown.output, "did you mean 'one'?"));
  // A target that cannot be started is not a success either.
  tree.input("one", "a");
  tree.script("fuzz_one", "exec /nowhere\n");
  CHECK(last_line(tree.ask({"fuzz", "0"}).output) == "0 passed, 1 failed");
}

TEST_CASE("test programs of another folder are run, and a crash is a failure", "[cli]") {
  const Tree tree;
  tree.script("test_good", "echo '3 0' >\"$YATLAB_TEST_TOTALS\"\n");
  tree.script("test_skips", "printf 'skipped: no data\\n2 0\\n' >\"$YATLAB_TEST_TOTALS\"\n");
  const auto fine = tree.ask({"test"});
  CHECK(fine.status == 0);
  CHECK(holds(fine.output, "skipped in skips: no data\n"));
  CHECK(last_line(fine.output) == "5 passed, 0 failed");
  tree.script("test_ends_early", "exit 0\n");
  tree.script("test_sanitized", "echo '7 0' >\"$YATLAB_TEST_TOTALS\"; exit 1\n");
  const auto broken = tree.ask({"test"});
  CHECK(broken.status == 1);
  CHECK(last_line(broken.output) == "12 passed, 2 failed");
  CHECK(holds(broken.output, "failed in ends_early: it ended without a result (exit status 0)\n"));
  CHECK(holds(broken.output, "failed in sanitized: it ended abnormally after all its tests passed (exit status 1)\n"));
  CHECK(last_line(tree.ask({"test", "good"}).output) == "3 passed, 0 failed");
}

TEST_CASE("names of failed tests are printed last regardless of other output", "[cli]") {
  const Tree tree;
  tree.script("test_a_fails",
              "printf 'failed: the sum of [a: b]  (tests/a/sum_test.cpp:7)\\nskipped: no data\\n"
              "failed: a product  (tests/a/product_test.cpp:30)\\n4 2\\n' >\"$YATLAB_TEST_TOTALS\"; echo much; exit 2\n");
  tree.script("test_b_good", "echo '3 0' >\"$YATLAB_TEST_TOTALS\"; echo more\n");
  tree.script("test_c_killed", "echo 'failed: a long one  (tests/c/long_test.cpp:1)' >\"$YATLAB_TEST_TOTALS\"; kill -9 $$\n");
  for (const char* jobs : {"1", "3"}) {
    const auto broken = tree.ask({"test", "-j", jobs});
    CHECK(broken.status == 1);
    std::vector<std::string> names;
    for (const auto& line : split(broken.output, '\n')) {
      if (line.rfind("failed in ", 0) == 0) names.push_back(line.substr(10));
    }
    std::sort(names.begin(), names.end());  // concurrent programs end in any order
    CHECK(names == std::vector<std::string>{
                       "a_fails: a product  (tests/a/product_test.cpp:30)", "a_fails: the sum of [a: b]  (tests/a/sum_test.cpp:7)",
                       "c_killed: a long one  (tests/c/long_test.cpp:1)", "c_killed: it ended without a result (signal 9, Killed)"});
    CHECK(broken.output.find("skipped in a_fails: no data\n") < broken.output.find("failed in "));
    CHECK(broken.output.rfind("\nfailed in ") < broken.output.find("failures in: "));
    CHECK(last_line(broken.output) == "7 passed, 3 failed");
  }
}

TEST_CASE("stopping tests or fuzzing stops the running program and starts no other", "[cli][fuzz]") {
  const Tree tree;
  for (const char* kind : {"test", "fuzz"}) {
    const std::string name = kind;
    tree.script(name + "_a", ": >\"$0.begun\"; exec sleep 60\n");
    tree.script(name + "_b", ": >\"$0.begun\"; exec sleep 60\n");
    for (const char* target : {"a", "b"}) tree.input(target, "one");
    const auto bin = tree.path() / "build/fuzz/bin", output = tree.path() / "output.txt";
    testing::Process process({name, "-j", "1", "--programs", bin.string()}, tree.path(), output);
    while (process.running() && !fs::exists(bin / (name + "_a.begun"))) ::usleep(10'000);
    process.signal(SIGTERM);
    CHECK(process.wait() == 128 + SIGTERM);
    CHECK_FALSE(fs::exists(bin / (name + "_b.begun")));
    CHECK(holds(read_file(output), "interrupted: 1 program was not started\n"));
    CHECK(last_line(read_file(output)) == "0 passed, 1 failed");
  }
}

TEST_CASE("test files are kept in memory if there is room and removed afterwards", "[cli]") {
  const Tree tree;
  tree.script("test_one", "printf %s \"$TMPDIR\" >\"$0.seen\"; : >\"$TMPDIR/left_behind\"; echo '1 0' >\"$YATLAB_TEST_TOTALS\"\n");
  const auto seen = [&](const fs::path& given) {
    const char* outer = std::getenv("TMPDIR");
    const std::string kept = outer ? outer : "";
    if (given.empty())
      ::unsetenv("TMPDIR");
    else
      ::setenv("TMPDIR", given.c_str(), 1);
    const auto answer = tree.ask({"test"});
    if (outer)
      ::setenv("TMPDIR", kept.c_str(), 1);
    else
      ::unsetenv("TMPDIR");
    CHECK(last_line(answer.output) == "1 passed, 0 failed");
    const auto folder = read_file(tree.path() / "build/fuzz/bin/test_one.seen");
    CHECK(holds(answer.output, "the tests' files: " + folder + " (TMPDIR=FOLDER for another place)\n"));
    return fs::path(folder);
  };
  SECTION("a given TMPDIR is used") {
    const auto given = tree.path() / "elsewhere";
    fs::create_directory(given);
    CHECK(seen(given) == given);
    CHECK(fs::exists(given / "left_behind"));
  }
  SECTION("a temporary folder in /dev/shm is used and removed") {
    std::error_code error;
    const auto space = fs::space("/dev/shm", error);
    if (error || space.available < (std::uintmax_t{4} << 30)) {
      WARN("skipped: /dev/shm has less than 4 GiB");
      return;
    }
    const pid_t gone = ::fork();
    if (gone == 0) ::_exit(0);
    REQUIRE(::waitpid(gone, nullptr, 0) == gone);
    const fs::path killed = fmt::format("/dev/shm/yatlab-tests-{}", gone), alive = fmt::format("/dev/shm/yatlab-tests-{}", ::getpid());
    for (const auto& folder : {killed, alive}) fs::create_directories(folder / "deep");
    const auto folder = seen({});
    CHECK(folder.parent_path() == "/dev/shm");
    CHECK_FALSE(fs::exists(folder));
    CHECK_FALSE(fs::exists(killed));
    CHECK(fs::exists(alive / "deep"));
    fs::remove_all(alive);
  }
}

TEST_CASE("threads of started programs spin only briefly by default", "[cli]") {
  const Tree tree;
  tree.script("test_one", "printf '%s %s' \"$OMP_WAIT_POLICY\" \"$GOMP_SPINCOUNT\" >\"$0.seen\"; echo '1 0' >\"$YATLAB_TEST_TOTALS\"\n");
  const auto seen = [&](const char* name, const char* value) {
    for (const char* each : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}) ::unsetenv(each);
    if (name) ::setenv(name, value, 1);
    CHECK(tree.ask({"test"}).status == 0);
    if (name) ::unsetenv(name);
    return read_file(tree.path() / "build/fuzz/bin/test_one.seen");
  };
  CHECK(seen(nullptr, nullptr) == "passive 5000");
  CHECK(seen("OMP_WAIT_POLICY", "active") == "active ");
  CHECK(seen("GOMP_SPINCOUNT", "7") == " 7");
}

TEST_CASE("started programs use huge pages by default", "[cli]") {
  const Tree tree;
  tree.script("test_one", "printf %s \"$GLIBC_TUNABLES\" >\"$0.seen\"; echo '1 0' >\"$YATLAB_TEST_TOTALS\"\n");
  const auto seen = [&](const char* given) {
    if (given) ::setenv("GLIBC_TUNABLES", given, 1);
    CHECK(tree.ask({"test"}).status == 0);
    ::unsetenv("GLIBC_TUNABLES");
    return read_file(tree.path() / "build/fuzz/bin/test_one.seen");
  };
  ::unsetenv("GLIBC_TUNABLES");
  CHECK(seen(nullptr) == "glibc.malloc.hugetlb=1");
  CHECK(seen("glibc.malloc.check=0") == "glibc.malloc.check=0:glibc.malloc.hugetlb=1");
  CHECK(seen("glibc.malloc.hugetlb=0") == "glibc.malloc.hugetlb=0");
}

}  // namespace yatlab
