// What is submitted to Slurm, and when again, with fake commands that keep a queue in files and fail on request. Real Slurm: slurm_test.cpp.
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "catch.h"
#include "cli/support.h"
#include "core/base/text.h"
#include "core/record/job_status.h"
#include "core/system/shell.h"
#include "core/system/slurm_queue.h"

namespace yatlab {
namespace {

using testing::Answer;
using testing::Desk;
using testing::holds;

const char* const kExperiment = R"(name: tiny
defaults: [/dataset: synthetic_digits, /architecture: prototype_classifier, _self_]
dataset: {train_size: 60, test_size: 20}
trainer: {epochs: 1, batch_size: 20}
seeds: [0]
arms: {yat: [operator=yat]}
launcher: {name: slurm}
)";

// The queue: a line for each array, "ID|NAME|LAST INDEX". Refused ones count as failed, as in Slurm. `how` controls sbatch, `state` squeue's answer.
const char* const kSbatch = R"sh([ "$1" = --version ] && exit
how=$(cat "$fake/how")
printf '%s\n' "$*" >>"$fake/submissions"
[ -z "$SBATCH_WAIT" ] || exit 7
for word; do
  case $word in
    --job-name=*) name=${word#*=} ;;
    --array=*) last=${word##*-} last=${last%%%*} ;;
  esac
done
if [ "$how" = refuse ]; then echo "4710|$name|$last|FAILED" >>"$fake/queue"; echo "sbatch: error: Batch job submission failed: Invalid partition name specified" >&2; exit 1; fi
id=$(($(wc -l <"$fake/submissions") + 4710))
[ "$how" = unheard ] || echo "$id|$name|$last" >>"$fake/queue"
case $how in
  timeout | unheard) echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2; exit 1 ;;
  killed) kill -TERM $$ ;;
  noisy) echo "sbatch: lua: be nice to others" >&2; echo "sbatch: warning: 4 cores" >&2 ;;
esac
echo "$id;cluster")sh";

const char* const kSqueue = R"sh([ "$1" = --version ] && exit
if [ -e "$fake/down" ]; then echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1; fi
[ -z "$SQUEUE_PARTITION$SQUEUE_USERS" ] || exit 0
for word; do case $word in --name=*) names=",${word#*=}," ;; esac; done
state=$(cat "$fake/state")
while IFS='|' read -r id name last own; do
  case $names in *",$name,"*) for i in $(seq 0 "$last"); do echo "${id}_$i|${own:-$state}||$name|${reason:-None}"; done ;; esac
done <"$fake/queue")sh";

const char* const kScontrol = R"sh([ "$1" = --version ] && exit
[ "$2" != config ] || { echo "MaxArraySize            = 1001"; exit; }
[ -e "$fake/ended" ] && cat "$fake/ended" || exit 1)sh";

class FakeSlurm {
 public:
  explicit FakeSlurm(const Desk& desk) : desk_(desk), folder_(desk.path() / "slurm-fake") {
    fs::create_directory(folder_);
    add("sbatch", kSbatch);
    add("squeue", kSqueue);
    add("scontrol", kScontrol);
    add("scancel", "exit 0");
    add("sacct", "exit 1");
    sbatch("accept");
    tasks("PENDING");
    put("queue", "");
    put("submissions", "");
  }
  void sbatch(const std::string& how) const { put("how", how); }
  void tasks(const std::string& state) const { put("state", state); }
  void down(bool is) const { is ? put("down", "") : static_cast<void>(fs::remove(folder_ / "down")); }
  /// scontrol's answer about tasks.
  void ended(const std::string& text) const { put("ended", text); }
  /// squeue has forgotten all tasks.
  void forget() const { put("queue", ""); }
  std::string submissions() const { return read_file(folder_ / "submissions"); }
  std::size_t count() const {
    const auto text = submissions();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  Answer ask(const std::string& line, const std::string& variables = "") const {
    return desk_.ask_shell("export PATH=" + shell_word(folder_.string()) + ":\"$PATH\"; " + variables + " yatlab " + line);
  }

 private:
  void put(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  void add(const std::string& name, const std::string& script) const {
    put(name, "#!/bin/bash\nfake=" + shell_word(folder_.string()) + "\n" + script + "\n");
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }
  const Desk& desk_;
  fs::path folder_;
};

fs::path job_of(const Desk& desk) { return desk.run() / "jobs/yat/seed=0"; }

/// Makes the array one minute old.
void age(const Desk& desk) {
  for (const auto& array : slurm_arrays(desk.run())) {
    const auto file = array.folder / "jobs.txt";
    fs::last_write_time(file, fs::last_write_time(file) - std::chrono::minutes(1));
  }
}

}  // namespace

TEST_CASE("slurm: arrays are found again whatever the run's name is", "[cli][slurm]") {
  const Desk desk(kExperiment);
  const FakeSlurm fake(desk);
  // The run's own name has commas, which squeue treats as the end of a name.
  const std::string line = "tiny.yaml 'seeds=[0,1]' operator.epsilon=1e-3 trainer.epochs=2";
  const auto first = fake.ask(line);
  INFO(first.output);
  REQUIRE(first.status == 0);
  REQUIRE(holds(fs::canonical(desk.run()).filename().string(), ","));
  CHECK(holds(first.output, "2 jobs left to Slurm array 4711"));
  const auto again = fake.ask(line);
  INFO(again.output);
  CHECK(again.status == 0);
  CHECK(fake.count() == 1);
  const auto status = fake.ask("status tiny --json");
  INFO(status.output);
  CHECK(holds(status.output, "\"submitted\": 2"));
  CHECK_FALSE(holds(status.output, "interrupted"));
  // Another run's array would have another name even if the runs had the same one.
  const auto names = slurm_arrays(desk.run());
  CHECK(new_slurm_name(names.front().folder) != names.front().name);
  for (const char c : new_slurm_name("/r/50% ü,\"x\"\n\\ " + std::string(300, 'l') + "/slurm/1")) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || std::string("._=+-").find(c) != std::string::npos;
    CHECK(plain);
  }
  CHECK(new_slurm_name("/" + std::string(255, 'l') + "/slurm/1").size() < 200);
}

TEST_CASE("slurm: accepted jobs are not submitted again whatever sbatch prints", "[cli][slurm]") {
  for (const char* how : {"timeout", "killed", "noisy"}) {
    INFO(how);
    const Desk desk(kExperiment);
    const FakeSlurm fake(desk);
    fake.sbatch(how);
    const auto first = fake.ask("tiny.yaml");
    INFO(first.output);
    CHECK(first.status == 0);
    CHECK(holds(first.output, "1 job left to Slurm array 4711"));
    CHECK(slurm_arrays(desk.run()).front().id == "4711");
    CHECK(recorded_state(job_of(desk)) == JobState::kSubmitted);
    fake.sbatch("accept");
    CHECK(fake.ask("tiny.yaml").status == 0);
    CHECK(fake.count() == 1);
  }
}

TEST_CASE("slurm: nothing is submitted while it is unknown whether jobs were accepted", "[cli][slurm][slow]") {
  const Desk desk(kExperiment);
  const FakeSlurm fake(desk);
  REQUIRE(fake.ask("plan tiny.yaml").status == 0);
  fake.sbatch("unheard");
  const auto first = fake.ask("tiny.yaml");
  INFO(first.output);
  CHECK(first.status == 1);
  CHECK(holds(first.output, "sbatch did not report whether Slurm accepted the jobs"));
  CHECK(fake.count() == 1);
  CHECK(slurm_arrays(desk.run()).size() == 1);
  fake.sbatch("accept");
  SECTION("Slurm accepted them later") {
    const auto array = slurm_arrays(desk.run()).front();
    std::ofstream(desk.path() / "slurm-fake/queue") << "4800|" << array.name << "|0\n";
    const auto again = fake.ask("tiny.yaml");
    INFO(again.output);
    CHECK(holds(again.output, "Slurm array 4800"));
    CHECK(fake.count() == 1);
    CHECK(slurm_arrays(desk.run()).front().id == "4800");
  }
  SECTION("Slurm never accepted them") {
    age(desk);
    const auto again = fake.ask("tiny.yaml");
    INFO(again.output);
    CHECK(again.status == 0);
    CHECK(fake.count() == 2);
    CHECK_FALSE(holds(again.output, "without starting"));
  }
}

TEST_CASE("slurm: a rejected submission is reported and not recorded", "[cli][slurm]") {
  const Desk desk(kExperiment);
  const FakeSlurm fake(desk);
  fake.sbatch("refuse");
  const auto refused = fake.ask("tiny.yaml");
  INFO(refused.output);
  CHECK(refused.status == 2);
  CHECK(holds(refused.output, "Invalid partition name"));
  CHECK(slurm_arrays(desk.run()).empty());
  CHECK(recorded_state(job_of(desk)) == JobState::kPlanned);
}

TEST_CASE("slurm: a submission whose command was killed is found by its name", "[cli][slurm]") {
  const Desk desk(kExperiment);
  const FakeSlurm fake(desk);
  REQUIRE(fake.ask("tiny.yaml").status == 0);
  const auto id = slurm_arrays(desk.run()).front().folder / "id";
  fs::remove(id);  // it was about to be written
  const auto again = fake.ask("tiny.yaml");
  INFO(again.output);
  CHECK(again.status == 0);
  CHECK(fake.count() == 1);
  CHECK(read_file(id) == "4711\n");
}

TEST_CASE("slurm: SQUEUE and SBATCH variables of the user lose or duplicate no jobs", "[cli][slurm]") {
  const Desk desk(kExperiment);
  const FakeSlurm fake(desk);
  const std::string variables =
      "SQUEUE_PARTITION=cpu SQUEUE_USERS=nobody SQUEUE_FORMAT=%i SBATCH_JOB_NAME=mine SBATCH_ARRAY_INX=0-9 SBATCH_OUTPUT=o SBATCH_WAIT=1 "
      "SBATCH_NO_REQUEUE=1";
  for (int i = 0; i < 2; ++i) {
    const auto answer = fake.ask("tiny.yaml", variables);
    INFO(answer.output);
    CHECK(answer.status == 0);
  }
  CHECK(fake.count() == 1);
  // Required options are on sbatch's command line, which overrides variables.
  for (const char* option : {" --job-name=yatlab-", " --array=0-0 ", " --output=/dev/null ", " --requeue ", " --signal=B:USR1@120 "})
    CHECK(holds(fake.submissions(), option));
  const auto clusters = fake.ask("tiny.yaml", "SBATCH_CLUSTERS=other");
  CHECK(clusters.status == 2);
  CHECK(holds(clusters.output, "SBATCH_CLUSTERS is set"));
}

TEST_CASE("slurm: a task that ends before its job begins has failed and is not resubmitted", "[cli][slurm]") {
  const Desk desk(kExperiment);
  const FakeSlurm fake(desk);
  REQUIRE(fake.ask("tiny.yaml").status == 0);
  const auto array = slurm_arrays(desk.run()).front();
  std::ofstream(array.folder / "0.txt") << "module: command not found\n";
  fake.tasks("FAILED");
  SECTION("Slurm could not start it") {
    fake.ended("JobId=4711 JobState=FAILED Reason=JobLaunchFailure ExitCode=0:1 NodeList=n1");
    const auto told = fake.ask("tiny.yaml");
    INFO(told.output);
    CHECK(told.status == 1);
    CHECK(holds(told.output,
                "failed: yat seed=0: its batch script ended before the job began (JobLaunchFailure, exit code 0, Slurm job 4711_0)"));
  }
  SECTION("the batch script ended") {
    fake.ended("JobId=4711 JobState=FAILED Reason=NonZeroExitCode ExitCode=1:0 NodeList=n1");
    const auto told = fake.ask("tiny.yaml");
    INFO(told.output);
    CHECK(told.status == 1);
    CHECK(holds(told.output, "ended before the job began (exit code 1, Slurm job 4711_0)"));
    CHECK(holds(told.output, "module: command not found"));
  }
  CHECK(recorded_state(job_of(desk)) == JobState::kFailed);
  const auto kept = fake.ask("tiny.yaml");
  INFO(kept.output);
  CHECK(kept.status == 1);
  CHECK(fake.count() == 1);
  fake.tasks("PENDING");
  fake.forget();
  CHECK(fake.ask("tiny.yaml --retry-failed").status == 0);
  CHECK(fake.count() == 2);
}

TEST_CASE("slurm: jobs that left the queue unstarted are resubmitted with a message", "[cli][slurm]") {
  const Desk desk(kExperiment);
  const FakeSlurm fake(desk);
  REQUIRE(fake.ask("tiny.yaml").status == 0);
  fake.forget();
  const auto again = fake.ask("tiny.yaml");
  INFO(again.output);
  CHECK(again.status == 0);
  CHECK(holds(again.output, "1 job of Slurm array 4711 left the queue without starting"));
  CHECK(fake.count() == 2);
}

TEST_CASE("slurm: nothing is submitted if the controller does not answer", "[cli][slurm][slow]") {
  const Desk desk(kExperiment);
  const FakeSlurm fake(desk);
  REQUIRE(fake.ask("tiny.yaml").status == 0);
  fake.down(true);
  const auto answer = fake.ask("tiny.yaml");
  INFO(answer.output);
  CHECK(answer.status == 1);
  CHECK(holds(answer.output, "squeue does not answer"));
  CHECK(fake.count() == 1);
  CHECK(fake.ask("status tiny").status == 0);
}

TEST_CASE("slurm: the reason why a job is held is shown", "[cli][slurm]") {
  const Desk desk(kExperiment);
  const FakeSlurm fake(desk);
  REQUIRE(fake.ask("tiny.yaml").status == 0);
  const auto status = fake.ask("status tiny", "reason=JobHeldUser");
  INFO(status.output);
  CHECK(status.status == 0);
  CHECK(holds(status.output, "held in the queue\n  yat seed=0  JobHeldUser"));
  CHECK_FALSE(holds(fake.ask("status tiny", "reason=Priority").output, "Priority"));
}

TEST_CASE("slurm: the batch script finds its folder at any path", "[cli][slurm]") {
  const Desk desk(kExperiment);
  const FakeSlurm fake(desk);
  const std::string name = "50% a%j,b \"q\" it's \\ $HOME `x` ü;#\nline " + std::string(100, 'l');
  const auto home = desk.path() / name;
  fs::create_directories(home);
  fs::copy(desk.path() / "tiny.yaml", home / "tiny.yaml");
  fs::create_directory_symlink(fs::path(YATLAB_SOURCE_DIR) / "configs", home / "configs");
  const auto line = "tiny.yaml 'launcher.setup=[pwd]'";
  const auto answer = desk.ask_shell("cd " + shell_word(home.string()) +
                                     "; export PATH=" + shell_word((desk.path() / "slurm-fake").string()) + ":\"$PATH\"; yatlab " + line);
  INFO(answer.output);
  REQUIRE(answer.status == 0);
  const auto run = home / "results/tiny/latest";
  const auto array = slurm_arrays(fs::canonical(run)).front();
  // Started as by Slurm: in the requested folder, on a node.
  const auto done =
      run_process({"env", "SLURM_ARRAY_TASK_ID=0", "SLURM_ARRAY_JOB_ID=4711", "bash", (array.folder / "submit.sh").string()}, "/");
  const auto output = read_file(array.folder / "0.txt");
  INFO(output);
  CHECK(done.status == 0);
  CHECK(done.output.empty());
  CHECK(holds(output, home.string() + "\n"));
  CHECK(recorded_state(run / "jobs/yat/seed=0") == JobState::kCompleted);
  // No path is among the options that Slurm reads as patterns.
  for (const auto& word : split(fake.submissions(), ' ')) {
    if (word.rfind("--", 0) == 0) CHECK(word.find('%') == std::string::npos);
  }
}

TEST_CASE("slurm: invalid settings are rejected when planned", "[cli][slurm][errors]") {
  const Desk desk(kExperiment);
  struct Case {
    const char *words, *says;
  };
  for (const auto& c :
       {Case{"resources.time=2", "resources.time=2 leaves no time to train"},
        Case{"'resources.time=\"0:2:00\"'", "a job saves launcher.save_s=120 seconds before its time limit"},
        Case{"'resources.time=\"1:30\"' launcher.save_s=90", "leaves no time to train"},
        Case{"resources.time=0-1 launcher.save_s=65535", "resources.time=0-1 leaves no time"},
        Case{"resources.time=soon", "'soon' is not a time limit"}, Case{"'resources.time=\"1:2:3:4\"'", "is not a time limit"},
        Case{"resources.time=-5", "is not a time limit"}, Case{"resources.time=99999999999999999999", "is not a time limit"},
        Case{"launcher.options=[--job-name=mine]", "'--job-name=mine' is set by the launcher"},
        Case{"launcher.options=[-Jmine]", "'-Jmine' is set by the launcher"},
        Case{"launcher.options=[--wait]", "'--wait' is set by the launcher"},
        Case{"launcher.options=[--test-only]", "is set by the launcher"}, Case{"launcher.options=[--arr=0-4]", "is set by the launcher"},
        Case{"launcher.ranks=21", "21 ranks cannot share a batch of 20 samples"}}) {
    const auto answer = desk.ask_shell(std::string("yatlab plan tiny.yaml ") + c.words);
    INFO(c.words << "\n" << answer.output);
    CHECK(answer.status == 2);
    CHECK(holds(answer.output, c.says));
  }
  for (const char* words :
       {"resources.time=3", "'resources.time=\"2:01\"'", "resources.time=1-0", "resources.time=UNLIMITED", "resources.time=0",
        "resources.time=1 launcher.save_s=58", "launcher.options=[--exclusive,--wait-all-nodes=1,--comment=x]"}) {
    const auto answer = desk.ask_shell(std::string("yatlab plan tiny.yaml ") + words);
    INFO(words << "\n" << answer.output);
    CHECK(answer.status == 0);
  }
}

}  // namespace yatlab
