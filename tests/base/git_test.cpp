#include "core/system/git.h"

#include <fstream>

#include "catch.h"
#include "core/base/process.h"
#include "temporary_folder.h"

using namespace yatlab;

TEST_CASE("git runs in a given folder and executes nothing from the repository's config", "[git]") {
  const TemporaryFolder folder;
  const auto repository = folder.path() / "theirs", mark = folder.path() / "executed";
  fs::create_directory(repository);
  const auto git = [&](std::vector<std::string> arguments) {
    std::vector<std::string> argv{"git", "-c", "user.name=a", "-c", "user.email=a@example.org"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    REQUIRE(run_process(argv, repository).status == 0);
  };
  git({"init", "-q"});
  std::ofstream(repository / "file") << "1";
  git({"add", "file"});
  git({"commit", "-q", "-m", "first"});
  const auto hook = repository / ".git/hooks/post-index-change", monitor = folder.path() / "monitor";
  for (const auto& script : {hook, monitor}) {
    fs::create_directories(script.parent_path());
    std::ofstream(script) << "#!/bin/sh\ntouch '" << mark.string() << "'\n";
    fs::permissions(script, fs::perms::owner_all);
  }
  git({"config", "core.fsmonitor", monitor.string()});
  git({"config", "core.hooksPath", hook.parent_path().string()});
  fs::remove(mark);
  run_process({"git", "status", "--porcelain"}, repository);
  CHECK(fs::exists(mark));  // it would
  fs::remove(mark);
  fs::last_write_time(repository / "file", fs::last_write_time(repository / "file") - std::chrono::hours(1));

  CHECK(git_answer(repository, {"rev-parse", "HEAD"}).size() == 40);
  CHECK(git_answer(repository, {"status", "--porcelain"}).empty());
  std::ofstream(repository / "file") << "2";
  CHECK(git_answer(repository, {"status", "--porcelain"}) == "M file");
  CHECK_FALSE(fs::exists(mark));
  CHECK(git_answer(folder.path(), {"rev-parse", "HEAD"}).empty());
}
