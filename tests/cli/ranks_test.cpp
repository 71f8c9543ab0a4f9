// One job on several ranks: processes that train it together.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "catch.h"
#include "cli/support.h"
#include "cli/undisturbed.h"
#include "core/record/job_status.h"
#include "core/train/rank_rendezvous.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::differences;
using testing::holds;
using testing::job_files;
using testing::Process;

/// An epoch is 19 batches, the last of 4. Only rank 0 runs analyses.
const char* const kDigits = R"(name: tiny
defaults: [/dataset: synthetic_digits, /architecture: prototype_classifier, _self_]
dataset: {train_size: 364, test_size: 100}
trainer: {epochs: 60, batch_size: 20, log_every: 10, checkpoint_steps: 100, checkpoint_seconds: 1000}
seeds: [0]
arms:
  yat: [operator=yat]
analyses: [prototype_norms]
)";

const char* const kText = R"(name: tiny
defaults: [/dataset: generated_text, /architecture: gpt2, /size: nano, /task: language_modeling, /optimizer: adamw, /schedule: cosine, _self_]
dataset: {train_stories: 20, test_stories: 4, context: 64}
architecture: {layers: 2, heads: 2, width: 32, context: 64, dropout: 0.0}
optimizer: {lr: 1e-3, beta2: 0.95}
trainer: {steps: 40, eval_steps: 20, batch_size: 10, micro_batch: 3, eval_batch_size: 16, grad_clip: 1.0, log_every: 1}
seeds: [0]
arms:
  gpt2: [operator=dot]
)";

std::vector<std::string> by_ranks(int ranks) {
  return {"tiny.yaml", "--quiet", "launcher=processes", "launcher.ranks=" + std::to_string(ranks)};
}

fs::path job_of(const Desk& desk) { return fs::directory_iterator(desk.run() / "jobs")->path() / "seed=0"; }

std::vector<nlohmann::json> rows_of(const std::string& history) {
  std::vector<nlohmann::json> out;
  std::istringstream in(history);
  for (std::string line; std::getline(in, line);) out.push_back(nlohmann::json::parse(line));
  return out;
}

/// The same rows, with numbers equal up to rounding.
void check_close(const fs::path& a, const fs::path& b, double tolerance) {
  const auto x = rows_of(read_file(a / "metrics.jsonl")), y = rows_of(read_file(b / "metrics.jsonl"));
  REQUIRE(x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto flat = x[i].flatten(), other = y[i].flatten();
    REQUIRE(flat.size() == other.size());
    for (const auto& [key, value] : flat.items()) {
      INFO("row " << i << " " << key << " " << value << " " << other.at(key));
      if (value.is_number()) {
        CHECK(std::abs(value.get<double>() - other.at(key).get<double>()) <= tolerance * (1 + std::abs(value.get<double>())));
      } else {
        CHECK(value == other.at(key));
      }
    }
  }
}

/// The process of a rank below `parent`; 0 when there is none.
pid_t process_of(pid_t parent, const std::string& rank) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto name = entry.path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    std::ifstream stat(entry.path() / "stat"), environment(entry.path() / "environ");
    std::string text, variables{std::istreambuf_iterator<char>(environment), {}};
    std::getline(stat, text);
    const auto behind = text.rfind(") ");
    if (behind == std::string::npos) continue;
    std::istringstream fields(text.substr(behind + 2));
    std::string state;
    pid_t of = 0;
    fields >> state >> of;
    if (of == parent && holds(std::string(1, '\0') + variables, std::string(1, '\0') + "RANK=" + rank + std::string(1, '\0')))
      return static_cast<pid_t>(std::atoi(name.c_str()));
  }
  return 0;
}

/// Waits until the run's job has a checkpoint; then the process of that rank.
pid_t rank_at_work(const Desk& desk, Process& run, const std::string& rank) {
  const bool there = run.wait_until([&] { return testing::has_checkpoint(desk.run() / "jobs/yat/seed=0"); });
  return there ? process_of(run.id(), rank) : 0;
}

const std::map<std::string, std::string>& undisturbed(int ranks) {
  static std::map<int, std::map<std::string, std::string>> all;
  auto& files = all[ranks];
  if (files.empty()) {
    const Desk desk(kDigits);
    REQUIRE(desk.ask(by_ranks(ranks)).status == 0);
    files = job_files(desk.run());
  }
  return files;
}

/// Variables for `yatlab job FOLDER` as one of several ranks, started like torchrun does, without a process that holds the store.
std::map<std::string, std::string> as_rank(const Desk& desk, int rank, int size, std::int64_t port) {
  auto out = desk.environment();
  out["RANK"] = out["LOCAL_RANK"] = std::to_string(rank);
  out["WORLD_SIZE"] = std::to_string(size);
  out["MASTER_ADDR"] = "127.0.0.1";
  out["MASTER_PORT"] = std::to_string(port);
  return out;
}

/// A recently free port.
std::int64_t free_port() { return RankStore().port(); }

/// Reduces the only job to its planned state.
fs::path planned_job(const Desk& desk) {
  REQUIRE(desk.ask({"tiny.yaml", "--quiet", "trainer.epochs=1"}).status == 0);
  const auto job = fs::canonical(job_of(desk));
  for (const auto& entry : entries_of(job)) {
    if (entry.filename() != "job.yaml") fs::remove_all(entry);
  }
  fs::remove_all(job / "analyses");
  return job;
}

}  // namespace

TEST_CASE("ranks of one job follow the curve of one process", "[cli][launcher][ranks][slow]") {
  for (const char* experiment : {kDigits, kText}) {
    const Desk alone(experiment);
    const bool digits = experiment == kDigits;
    const std::string shorter = digits ? "trainer.epochs=5" : "trainer.steps=40";
    REQUIRE(alone.ask({"tiny.yaml", "--quiet", shorter}).status == 0);
    for (const int ranks : {2, 4}) {
      INFO(experiment << ranks << " ranks");
      const Desk desk(experiment);
      auto command = by_ranks(ranks);
      command.push_back(shorter);
      const auto answer = desk.ask(command);
      INFO(answer.output);
      REQUIRE(answer.status == 0);
      check_close(job_of(alone), job_of(desk), 1e-3);
      const auto status = read_job_status(job_of(desk));
      CHECK(status.performance.at("ranks") == ranks);
      CHECK_FALSE(read_job_status(job_of(alone)).performance.count("ranks"));
      // The other ranks leave no files, and ranks are not part of a job's identity.
      std::vector<std::string> names, names_alone;
      for (const auto& [name, text] : job_files(desk.run())) names.push_back(name);
      for (const auto& [name, text] : job_files(alone.run())) names_alone.push_back(name);
      CHECK(names == names_alone);
      CHECK(read_file(job_of(desk) / "job.yaml") == read_file(job_of(alone) / "job.yaml"));
      CHECK(holds(desk.ask({"tiny.yaml", shorter}).output, "1 of 1 jobs already done"));
    }
  }
}

TEST_CASE("a killed rank ends the job within seconds and it resumes bitwise identically", "[cli][launcher][ranks][slow]") {
  struct Kill {
    const char* rank;
    int signal;
    const char* state;
    const char* says;
  };
  for (const auto& kill : {Kill{"1", SIGKILL, "interrupted", "rank 1 of 2: its process was killed by signal 9 (Killed)"},
                           Kill{"0", SIGKILL, "interrupted", "rank 0 of 2: its process was killed by signal 9 (Killed)"},
                           Kill{"1", SIGSEGV, "failed", "rank 1 of 2: its process was killed by signal 11 (Segmentation fault)"}}) {
    INFO(kill.says << kill.rank);
    const Desk desk(kDigits);
    Process run(by_ranks(2), desk.path(), desk.path() / "output.txt", desk.environment());
    const auto rank = rank_at_work(desk, run, kill.rank);
    REQUIRE(rank > 0);
    const auto begin = std::chrono::steady_clock::now();
    REQUIRE(::kill(rank, kill.signal) == 0);
    CHECK(run.wait() == 1);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(9));  // the other ranks noticed and ended without being killed
    INFO(read_file(desk.path() / "output.txt"));
    const auto status = read_job_status(job_of(desk));
    CHECK(to_string(status.state) == std::string(kill.state));
    CHECK(holds(status.error, kill.says));
    CHECK(holds(read_file(desk.path() / "output.txt"), kill.says));
    auto again = by_ranks(2);
    again.push_back("--retry-failed");
    CHECK(desk.ask(again).status == 0);
    CHECK(differences(undisturbed(2), job_files(desk.run())).empty());
  }
}

TEST_CASE("a job started with some ranks can finish with another number of ranks", "[cli][launcher][ranks][slow]") {
  const Desk alone(kDigits);
  REQUIRE(alone.ask({"tiny.yaml", "--quiet"}).status == 0);
  for (const int then : {1, 3}) {
    INFO(then);
    const Desk desk(kDigits);
    Process run(by_ranks(2), desk.path(), desk.path() / "output.txt", desk.environment());
    REQUIRE(rank_at_work(desk, run, "1") > 0);
    run.signal(SIGTERM);
    CHECK(run.wait() == 128 + SIGTERM);
    CHECK(recorded_state(job_of(desk)) == JobState::kInterrupted);
    CHECK(desk.ask(by_ranks(then)).status == 0);
    CHECK(read_job_status(job_of(desk)).attempt == 2);
    check_close(job_of(alone), job_of(desk), 1e-2);
  }
}

TEST_CASE("ranks save together when stopped and resume bitwise identically", "[cli][launcher][ranks][slow]") {
  for (const char* whom : {"the run", "1"}) {
    INFO(whom);
    const Desk desk(kDigits);
    Process run(by_ranks(2), desk.path(), desk.path() / "output.txt", desk.environment());
    const auto rank = rank_at_work(desk, run, "1");
    REQUIRE(rank > 0);
    ::kill(whom == std::string("1") ? rank : run.id(), SIGTERM);
    run.wait();
    CHECK(recorded_state(job_of(desk)) == JobState::kInterrupted);
    CHECK(desk.ask(by_ranks(2)).status == 0);
    CHECK(differences(undisturbed(2), job_files(desk.run())).empty());
  }
}

TEST_CASE("yatlab job finds its ranks in the environment", "[cli][launcher][ranks]") {
  const Desk desk(kDigits);
  const auto job = planned_job(desk);
  const auto port = free_port();
  std::vector<std::unique_ptr<Process>> ranks;
  for (int r = 2; r >= 0; --r) {
    ranks.push_back(std::make_unique<Process>(std::vector<std::string>{"job", job.string()}, desk.path(),
                                              desk.path() / ("output" + std::to_string(r)), as_rank(desk, r, 3, port)));
  }
  for (auto& rank : ranks) CHECK(rank->wait() == 0);
  INFO(read_file(desk.path() / "output0") << read_file(desk.path() / "output1"));
  CHECK(holds(read_file(desk.path() / "output0"), "completed: "));
  const auto status = read_job_status(job);
  CHECK(status.state == JobState::kCompleted);
  CHECK(status.performance.at("ranks") == 3);
  SECTION("ranks exit when nothing is left to do") {
    const auto before = job_files(desk.run(), true);
    Process second({"job", job.string()}, desk.path(), desk.path() / "output1", as_rank(desk, 1, 2, port + 1));
    Process first({"job", job.string()}, desk.path(), desk.path() / "output0", as_rank(desk, 0, 2, port + 1));
    CHECK(first.wait() == 0);
    CHECK(second.wait() == 0);
    CHECK(differences(before, job_files(desk.run(), true)).empty());
  }
}

TEST_CASE("ranks without a launcher notice that one is gone", "[cli][launcher][ranks][slow]") {
  const Desk desk(kDigits);
  REQUIRE(desk.ask({"tiny.yaml", "--quiet", "trainer.epochs=300"}).status == 0);
  const auto job = fs::canonical(job_of(desk));
  fs::remove_all(job / "checkpoints");
  fs::remove(job / "status.json");
  fs::remove(job / "metrics.jsonl");
  const auto port = free_port();
  Process first({"job", job.string()}, desk.path(), desk.path() / "output0", as_rank(desk, 0, 2, port));
  Process second({"job", job.string()}, desk.path(), desk.path() / "output1", as_rank(desk, 1, 2, port));
  REQUIRE(first.wait_until([&] { return testing::has_checkpoint(job); }));
  second.signal(SIGKILL);
  CHECK(first.wait() == 1);
  INFO(read_file(desk.path() / "output0"));
  CHECK(holds(read_file(desk.path() / "output0"), "interrupted: "));
  CHECK(holds(read_file(desk.path() / "output0"), "lost contact with another rank"));
  CHECK(recorded_state(job) == JobState::kInterrupted);
}

TEST_CASE("ranks report what is unsupported or misconfigured", "[cli][launcher][ranks][errors]") {
  const Desk desk(kDigits);
  const auto job = planned_job(desk);
  const auto ask = [&](std::map<std::string, std::string> environment) {
    environment["YATLAB_DATA"] = "";
    environment["YATLAB_RANKS_TIMEOUT"] = "1";
    Process process({"job", job.string()}, desk.path(), desk.path() / "said", environment);
    const int status = process.wait();
    return std::to_string(status) + " " + read_file(desk.path() / "said");
  };
  CHECK(holds(ask({{"RANK", "0"}}), "2 error: RANK is set, but WORLD_SIZE is not"));
  CHECK(holds(ask({{"RANK", "0"}, {"WORLD_SIZE", "2"}}), "MASTER_ADDR is not set"));
  CHECK(holds(ask({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", std::to_string(free_port())}}),
              "nobody answered"));
  CHECK_FALSE(fs::exists(job / "status.json"));
  const auto answer =
      desk.ask({"tiny.yaml", "--quiet", "launcher=processes", "launcher.ranks=3", "trainer.batch_size=2", "trainer.epochs=1"});
  CHECK(answer.status == 2);
  CHECK(holds(answer.output, "3 ranks cannot share a batch of 2 samples"));
}

TEST_CASE("models that do not train in steps use one process", "[cli][launcher][ranks]") {
  const Desk desk(R"(name: tiny
defaults: [/dataset: synthetic_xc, /task: multilabel, _self_]
dataset: {train_size: 60, test_size: 20, features: 40, labels: 12}
seeds: [0]
arms:
  knn: [architecture=nearest_neighbours]
)");
  const auto answer = desk.ask(by_ranks(2));
  INFO(answer.output);
  CHECK(answer.status == 0);
  CHECK_FALSE(read_job_status(job_of(desk)).performance.count("ranks"));
}

}  // namespace yatlab
