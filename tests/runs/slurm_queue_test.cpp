// The output of Slurm's commands, from fake programs. The real ones: tests/cli/slurm_test.cpp.
#include "core/system/slurm_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "catch.h"
#include "core/base/error.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

/// Fake commands, first in PATH.
class Commands {
 public:
  Commands() : path_(std::getenv("PATH")) { ::setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1); }
  ~Commands() { ::setenv("PATH", path_.c_str(), 1); }
  void add(const std::string& name, const std::string& script) const {
    std::ofstream(folder_.path() / name) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(folder_.path() / name, fs::perms::owner_all);
  }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

SlurmArray array_of(int number, std::vector<std::string> jobs) {
  return {number, fs::path("results/tiny/2026-11-22_10-00-00-abcdef/slurm") / std::to_string(number),
          fmt::format("yatlab-2026-11-22_10-00-00-abcdef-{}", number), "", std::move(jobs)};
}

}  // namespace

TEST_CASE("squeue output is assigned to jobs and the last submission counts", "[slurm]") {
  const Commands commands;
  commands.add("squeue",
               R"(case "$*" in *--name=yatlab-2026-11-22_10-00-00-abcdef-1,yatlab-2026-11-22_10-00-00-abcdef-2*) ;; *) exit 1 ;; esac
cat <<END
41_0|COMPLETED|n1|yatlab-2026-11-22_10-00-00-abcdef-1|None
41_1|NODE_FAIL|n2|yatlab-2026-11-22_10-00-00-abcdef-1|NodeDown
41_[2-9]|PENDING||yatlab-2026-11-22_10-00-00-abcdef-1|Resources
nonsense
42_0|PENDING||yatlab-2026-11-22_10-00-00-abcdef-2|Priority
42_7|RUNNING|n1|yatlab-2026-11-22_10-00-00-abcdef-2|None
END)");
  const auto tasks = slurm_tasks({array_of(1, {"jobs/a", "jobs/b", "jobs/c"}), array_of(2, {"jobs/b"})});
  REQUIRE(tasks);
  REQUIRE(tasks->size() == 2);
  CHECK(tasks->at("jobs/a").id == "41_0");
  CHECK(tasks->at("jobs/a").ended());
  CHECK(tasks->at("jobs/a").node == "n1");
  CHECK(tasks->at("jobs/a").reason.empty());
  CHECK(tasks->at("jobs/b").id == "42_0");
  CHECK(tasks->at("jobs/b").waits());
  CHECK(tasks->at("jobs/b").reason == "Priority");
  commands.add("squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1");
  CHECK_FALSE(slurm_tasks({array_of(1, {"jobs/a"})}));
  CHECK(slurm_tasks({})->empty());
}

TEST_CASE("an array is recognised by its id rather than its name", "[slurm]") {
  const Commands commands;
  commands.add(
      "squeue",
      "echo '41_0|FAILED|n1|yatlab-2026-11-22_10-00-00-abcdef-1|None'; echo '51_0|RUNNING|n1|yatlab-2026-11-22_10-00-00-abcdef-1|None'");
  auto array = array_of(1, {"jobs/a"});
  array.id = "41";
  CHECK(slurm_tasks({array})->at("jobs/a").id == "41_0");
  array.id = "43";
  CHECK(slurm_tasks({array})->empty());
}

TEST_CASE("squeue is called for many arrays at once within the length limit of commands", "[slurm]") {
  const Commands commands;
  const TemporaryFolder folder;
  commands.add("squeue", "echo \"$*\" | wc -c >>" + (folder.path() / "sizes").string());
  std::vector<SlurmArray> arrays;
  for (int i = 0; i < 1001; ++i) {
    arrays.push_back(array_of(i, {"jobs/a"}));
    arrays.back().name = std::string(180, 'n') + std::to_string(i);
  }
  REQUIRE(slurm_tasks(arrays));
  const auto sizes = read_file(folder.path() / "sizes");
  CHECK(std::count(sizes.begin(), sizes.end(), '\n') == 6);
  CHECK(std::atoi(sizes.c_str()) < 131072);  // the longest argument of a command
}

TEST_CASE("the end of a task comes from scontrol or later from sacct", "[slurm]") {
  const Commands commands;
  commands.add("scontrol",
               "echo 'JobId=41 ArrayJobId=41 ArrayTaskId=3 JobName=x JobState=FAILED Reason=NonZeroExitCode ExitCode=3:0 NodeList=n2'");
  auto task = task_that_ended("41_3");
  CHECK(task.state == "FAILED");
  CHECK(task.exit_code == 3);
  CHECK(task.signal == 0);
  CHECK(task.node == "n2");
  CHECK(task.reason == "NonZeroExitCode");

  commands.add("scontrol", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
  commands.add("sacct", R"(case "$*" in *--jobs=41_3*) echo "CANCELLED by 1000|0:15|n1" ;; *) exit 1 ;; esac)");
  task = task_that_ended("41_3");
  CHECK(task.id == "41_3");
  CHECK(task.state == "CANCELLED");
  CHECK(task.signal == 15);
  CHECK(task.node == "n1");
  CHECK(task_that_ended("41_4").state.empty());
  commands.add("sacct", "echo 'sacct: warning: slow today' >&2; echo 'OUT_OF_MEMORY|0:125|n1'");
  CHECK(task_that_ended("41_3").state == "OUT_OF_MEMORY");
  commands.add("sacct", "echo 'Slurm accounting storage is disabled' >&2; exit 1");
  CHECK(task_that_ended("41_3").state.empty());
}

TEST_CASE("many tasks are cancelled or signalled by one command", "[slurm]") {
  const Commands commands;
  const TemporaryFolder folder;
  commands.add("scancel", "echo \"$@\" >>" + (folder.path() / "said").string());
  cancel_slurm_tasks({"41_0", "41_1"}, "TERM");
  CHECK(read_file(folder.path() / "said") == "--quiet --batch --signal=TERM 41_0 41_1\n");
  fs::remove(folder.path() / "said");
  cancel_slurm_tasks(std::vector<std::string>(1001, "41_0"));
  const auto said = read_file(folder.path() / "said");
  CHECK(std::count(said.begin(), said.end(), '\n') == 3);
  commands.add("scancel", "echo 'Access denied' >&2; exit 1");
  CHECK_THROWS_AS(cancel_slurm_tasks({"41_0"}), Error);
}

}  // namespace yatlab
