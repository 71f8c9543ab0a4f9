// One experiment from end to end, with and without interruption.

#include <algorithm>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"
#include "core/record/stop_request.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::differences;
using testing::holds;
using testing::job_files;
using testing::Process;

const char* const kWithTable = R"(name: tiny
title: Tiny
defaults:
  - /dataset: synthetic_digits
  - /architecture: prototype_classifier
  - _self_
dataset: {train_size: 200, test_size: 100}
trainer: {epochs: 2, batch_size: 20}
seeds: range(0, 3)
arms:
  linear: [operator=dot]
  yat: [operator=yat]
analyses: [prototype_norms, prototype_inversion, prototype_images]
metrics:
  test/accuracy: {better: higher, format: percent}
tables:
  tab:tiny:
    columns:
      - {metric: test/accuracy, header: Acc.}
      - {metric: inverted/accuracy, header: Inverted}
    compare: {metric: test/accuracy, baseline: linear}
    paper:
      yat: {test/accuracy: 0.9}
      tolerance: {test/accuracy: 0.005}
figures:
  fig:tiny_curves: {plot: learning_curves, metrics: [test/accuracy]}
  fig:tiny_prototypes: {plot: prototypes, seed: 0}
)";

/// About two seconds of training in one job after another.
const char* const kLong = R"(name: tiny
defaults:
  - /dataset: synthetic_digits
  - /architecture: prototype_classifier
  - _self_
dataset: {train_size: 1000, test_size: 200}
trainer: {epochs: 60, batch_size: 10}
seeds: [0]
launcher: {workers: 1}
arms:
  linear: [operator=dot]
  yat: [operator=yat]
analyses: [prototype_norms, prototype_images]
)";

std::size_t lines_in(const fs::path& file) {
  std::error_code missing;
  if (!fs::exists(file, missing)) return 0;
  const auto text = read_file(file);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("an experiment without tables and figures gets default ones", "[cli][run]") {
  std::string silent = testing::kTinyExperiment;
  const std::string word = "report: {default_figures: false}\n";
  REQUIRE(holds(silent, word));
  silent.erase(silent.find(word), word.size());
  const Desk desk(silent);
  const std::vector<std::string> words = {"tiny.yaml", "trainer.epochs=2", "analyses=[prototype_images,prototype_norms]"};
  REQUIRE(desk.ask(words).status == 0);
  const auto latest = desk.path() / "results/tiny/latest";
  CHECK(holds(read_file(latest / "tables/results.md"), "\n|  | test accuracy | test loss | Δ‖w‖ |\n"));
  for (const char* figure : {"fig_learning_curves", "fig_prototypes"})
    CHECK(fs::exists(latest / "figures" / (std::string(figure) + ".svg")));
  CHECK(holds(read_file(latest / "figures/fig_learning_curves.gp"), "training loss (nats)"));
  // None without a request.
  auto bare = words;
  bare.insert(bare.end(), {"name=bare", "report.default_figures=false"});
  REQUIRE(desk.ask(bare).status == 0);
  CHECK(fs::exists(desk.path() / "results/bare/latest/tables/results.md"));
  CHECK_FALSE(fs::exists(desk.path() / "results/bare/latest/figures/fig_learning_curves.svg"));
}

TEST_CASE("a run writes all promised files and repeating it changes no job files", "[cli][run]") {
  const Desk desk(kWithTable);
  const auto first = desk.ask({"tiny.yaml"});
  INFO(first.output);
  REQUIRE(first.status == 0);
  CHECK(holds(first.output, "tiny  2 arms x 3 seeds = 6 jobs  ("));
  CHECK(holds(first.output, "report.html, tables, figures, summary.json -> results/tiny/latest/\n"));
  const fs::path run = desk.run();
  for (const char* file : {"config.yaml", "overrides.yaml", "plan.json", "environment.json", "log.txt", "summary.json",
                           "tables/tab_tiny.tex", "tables/tab_tiny.md", "tables/tab_tiny.csv", "figures/fig_tiny_curves.svg",
                           "figures/fig_tiny_curves.pdf", "figures/fig_tiny_curves.png", "figures/fig_tiny_curves.csv",
                           "figures/fig_tiny_prototypes.svg", "figures/fig_tiny_prototypes.pdf", "figures/fig_tiny_prototypes.png"}) {
    INFO(file);
    CHECK(fs::is_regular_file(run / file));
    std::error_code missing;
    CHECK((std::string(file) == "overrides.yaml" || fs::file_size(run / file, missing) > 50));
  }
  const auto summary = nlohmann::json::parse(read_file(run / "summary.json"));
  CHECK(summary.at("experiment") == "tiny");
  CHECK(summary.at("status") == "complete");
  CHECK(summary.at("arms").at("yat").at("n") == 3);
  CHECK(summary.at("arms").at("yat").at("metrics").at("test/accuracy").at("values").size() == 3);
  for (const char* arm : {"linear", "yat"}) {
    for (int seed = 0; seed < 3; ++seed) {
      const fs::path job = run / "jobs" / arm / ("seed=" + std::to_string(seed));
      for (const char* file :
           {"job.yaml", "metrics.jsonl", "summary.json", "status.json", "analyses/prototype_images/artifacts/prototypes.json"}) {
        CHECK(fs::is_regular_file(job / file));
      }
    }
  }

  const auto before = job_files(run, true);
  const auto again = desk.ask({"run", "tiny.yaml"});
  CHECK(again.status == 0);
  CHECK(holds(again.output, "  6 of 6 jobs already done\n"));
  CHECK(differences(before, job_files(run, true)).empty());

  const auto more = desk.ask({"tiny.yaml", "seeds=range(0,4)"});
  CHECK(more.status == 0);
  CHECK(holds(more.output, "  6 of 8 jobs already done (6 reused from earlier runs)\n"));

  const auto quiet = desk.ask({"tiny.yaml", "--quiet"});
  CHECK(quiet.status == 0);
  CHECK(quiet.output == "");

  // Drawn again from the files on disk.
  fs::remove_all(fs::canonical(run) / "tables");
  const auto report = desk.ask({"report", "results/tiny/latest", "--no-figures"});
  CHECK(report.status == 0);
  CHECK(fs::is_regular_file(run / "tables/tab_tiny.tex"));
}

TEST_CASE("a run stopped by a signal saves and resumes bitwise identically", "[cli][signals]") {
  const Desk unbroken(kLong);
  REQUIRE(unbroken.ask({"tiny.yaml", "-q"}).status == 0);
  const auto expected = job_files(unbroken.run());
  struct Case {
    int signal, status;
    const char* arm;
  };
  for (const auto& [signal, status, arm] :
       {Case{SIGTERM, 143, "linear"}, Case{SIGINT, 130, "yat"}, Case{SIGUSR1, 138, "yat"}, Case{SIGHUP, 129, "linear"}}) {
    INFO("signal " << signal);
    const Desk desk(kLong);
    Process process({"tiny.yaml"}, desk.path(), desk.path() / "output.txt", desk.environment());
    const fs::path job = desk.run() / "jobs" / arm / "seed=0";
    // Its first checkpoint is due in 30 s, so one that exists afterwards was saved because of the signal.
    REQUIRE(process.wait_until([&] { return lines_in(job / "metrics.jsonl") > 0 || fs::exists(job / "status.json"); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    process.signal(signal);
    CHECK(process.wait() == status);
    CHECK_FALSE(process.ended_by_signal());
    const auto output = read_file(desk.path() / "output.txt");
    CHECK(holds(output, "interrupted; everything is saved. Run the same command again to continue.\n"));
    const auto state = nlohmann::json::parse(read_file(job / "status.json")).at("state");
    CHECK(state == "interrupted");
    CHECK(fs::exists(job / "checkpoints"));

    const auto resumed = desk.ask({"tiny.yaml"});
    CHECK(resumed.status == 0);
    CHECK(differences(expected, job_files(desk.run())).empty());
    CHECK(holds(read_file(desk.run() / "log.txt"), " resumed: yatlab run tiny.yaml"));
  }
}

TEST_CASE("one job stops on request and the other jobs of its process finish", "[cli][signals][stack]") {
  const bool stack = GENERATE(false, true);
  INFO("stack " << stack);
  const std::vector<std::string> command = {"tiny.yaml", stack ? "launcher.stack=auto" : "launcher.stack=off",
                                            stack ? "launcher.workers=1" : "launcher.workers=2"};
  // The one that is stopped would go on for seconds.
  const std::string arms =
      testing::kTinyWork + "  short: [operator=yat, trainer.epochs=300]\n  long: [operator=yat, trainer.epochs=12000]\n";
  const Desk desk(arms);
  Process process(command, desk.path(), desk.path() / "output.txt", desk.environment());
  const fs::path job = desk.run() / "jobs" / "long" / "seed=0";
  REQUIRE(process.wait_until([&] { return lines_in(job / "metrics.jsonl") > 0; }));
  request_stop_of(job);
  CHECK(process.wait() == 130);
  const auto output = read_file(desk.path() / "output.txt");
  INFO(output);
  CHECK(holds(output, "1 job was stopped by the user; progress is saved. Run the same command again to continue.\n"));
  CHECK(nlohmann::json::parse(read_file(job / "status.json")).at("state") == "interrupted");
  CHECK(nlohmann::json::parse(read_file(desk.run() / "jobs/short/seed=0/status.json")).at("state") == "completed");
  CHECK_FALSE(fs::exists(job / ".stop"));
  request_stop_of(job);  // nobody runs it: an old request, which stops nothing later
  CHECK(desk.ask(command).status == 0);
  CHECK_FALSE(fs::exists(job / ".stop"));
  if (stack) return;  // alone, its numbers are the same to rounding
  const Desk unbroken(arms);
  REQUIRE(unbroken.ask(command).status == 0);
  CHECK(differences(job_files(unbroken.run()), job_files(desk.run())).empty());
}

TEST_CASE("a stopped stack of jobs resumes bitwise identically", "[cli][signals][stack]") {
  const std::vector<std::string> command = {"tiny.yaml", "-q", "launcher.stack=auto", "launcher.workers=1", "seeds=range(0,3)"};
  const Desk unbroken(kLong);
  REQUIRE(unbroken.ask(command).status == 0);
  const auto expected = job_files(unbroken.run());
  for (const int wait_ms : {30, 150}) {
    const Desk desk(kLong);
    Process process(command, desk.path(), desk.path() / "output.txt", desk.environment());
    const fs::path job = desk.run() / "jobs" / "yat" / "seed=1";
    REQUIRE(process.wait_until([&] { return lines_in(job / "metrics.jsonl") > 0 || fs::exists(job / "status.json"); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    process.signal(SIGINT);
    CHECK(process.wait() == 130);
    const auto resumed = desk.ask(command);
    INFO(resumed.output);
    CHECK(resumed.status == 0);
    CHECK(differences(expected, job_files(desk.run())).empty());
  }
}

TEST_CASE("nohup is respected when the terminal closes", "[cli][signals]") {
  const Desk desk(kLong);
  const auto answer = desk.ask_shell("trap '' HUP; yatlab tiny.yaml -q & sleep 1; kill -HUP $!; wait $!");
  INFO(answer.output);
  CHECK(answer.status == 0);
}

TEST_CASE("exceeding the file size limit is a reported error instead of a crash", "[cli][signals]") {
  const Desk desk(kLong);
  const auto answer = desk.ask_shell("ulimit -f 4; yatlab tiny.yaml");  // blocks of 1 KiB
  INFO(answer.output);
  CHECK(answer.status > 0);
  CHECK(answer.status < 128);
  CHECK(holds(answer.output, "File too large"));
  CHECK_FALSE(holds(answer.output, "a bug in Yatlab"));
  CHECK(desk.ask({"tiny.yaml", "-q", "--retry-failed"}).status == 0);
}

}  // namespace yatlab
