// Finding runs again: runs, status, compare, export, prune, tag, note, typed as by a user.

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"
#include "core/base/text.h"
#include "core/record/job_status.h"

namespace yatlab {
namespace {

using testing::Answer;
using testing::Desk;
using testing::holds;
using testing::kTinyExperiment;

/// The runs of an experiment, the oldest first.
std::vector<std::string> run_ids(const Desk& desk) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(desk.path() / "results/tiny")) {
    if (!entry.is_symlink()) out.push_back(entry.path().filename().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

Answer train(const Desk& desk, std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(), {"tiny.yaml", "-q", "figures.format=svg"});
  const auto answer = desk.ask(overrides);
  INFO(answer.output);
  CHECK(answer.status == 0);
  return answer;
}

/// An earlier run, one with more seeds that includes its jobs, and one with another learning rate.
const Desk& three_runs() {
  static const Desk desk(kTinyExperiment);
  static const bool made = [] {
    train(desk);
    // Runs are identified and ordered by the second of their start.
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    train(desk, {"seeds=[0,1]"});
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    train(desk, {"seeds=[0,1]", "optimizer.lr=0.5"});
    return true;
  }();
  CHECK(made);
  return desk;
}

}  // namespace

TEST_CASE("runs are found by overrides and configuration and metrics", "[cli][runs]") {
  const auto& desk = three_runs();
  const auto ids = run_ids(desk);
  REQUIRE(ids.size() == 3);
  const auto all = desk.ask({"runs"});
  CHECK(all.status == 0);
  CHECK(holds(all.output, "* tiny/" + ids[1]));  // the last one, with another learning rate, is not a full run
  CHECK(all.output.find(ids[2]) < all.output.find(ids[0]));
  CHECK(holds(all.output, "superseded"));
  CHECK(holds(all.output, "3 runs of 1 experiment"));
  CHECK(fs::is_regular_file(desk.path() / "results/.index.sqlite"));
  const auto found = desk.ask({"runs", "tiny", "optimizer.lr=5e-1"});
  CHECK(holds(found.output, ids[2]));
  CHECK_FALSE(holds(found.output, ids[1]));
  const auto measured = desk.ask({"runs", "test/accuracy>0", "arm=yat"});
  CHECK(holds(measured.output, "yat  test/accuracy "));
  CHECK_FALSE(holds(measured.output, "linear  test"));
  const auto json = nlohmann::json::parse(desk.ask({"runs", "--json"}).output);
  CHECK(json.size() == 3);
  CHECK(json[0]["latest"] == false);
  CHECK(json[1]["latest"] == true);
  // A continued run says where it is.
  const auto again = desk.ask({"tiny.yaml", "seeds=[0,1]", "optimizer.lr=0.5", "figures.format=svg"});
  CHECK(holds(again.output, "summary.json -> results/tiny/" + ids[2] + "/  (`latest` is unchanged)\n"));
  const auto wrong = desk.ask({"runs", "optimizer.lrr=1"});
  CHECK(wrong.status == 2);
  CHECK(holds(wrong.output, "did you mean 'optimizer.lr'?"));
  const auto none = desk.ask({"runs", "--results", "nowhere"});
  CHECK(none.status == 0);
  CHECK(holds(none.output, "no runs in nowhere"));
}

TEST_CASE("a run is found by path, experiment, id prefix, hash prefix or tag", "[cli][runs]") {
  const auto& desk = three_runs();
  const auto ids = run_ids(desk);
  const auto told = [&](const std::string& word) { return desk.ask({"status", word}); };
  CHECK(ids[2].substr(19) == "-seeds=0,1-lr=0.5-" + ids[2].substr(ids[2].size() - 6));
  for (const auto& word : {"tiny/" + ids[2], "results/tiny/" + ids[2], ids[2], ids[2].substr(0, 19), ids[2].substr(20),
                           ids[2].substr(20, 15), ids[2].substr(0, 13) + "…" + ids[2].substr(ids[2].size() - 9),
                           "tiny/" + ids[2].substr(0, 3) + "…" + ids[2].substr(ids[2].size() - 6), ids[2].substr(ids[2].size() - 6),
                           ids[2].substr(ids[2].size() - 6, 4), "tiny/" + ids[2].substr(ids[2].size() - 6)}) {
    INFO(word);
    const auto answer = told(word);
    CHECK(answer.status == 0);
    CHECK(holds(answer.output, ids[2] + ": 4 jobs: 4 done"));
  }
  for (const char* word : {"tiny", "results/tiny/latest", "tiny/latest"}) {
    INFO(word);
    CHECK(holds(told(word).output, ids[1] + ": 4 jobs: 4 done"));
  }
  CHECK(holds(desk.ask({"status"}).output, ids[2]));
  const auto several = told(ids[2].substr(0, 10));
  CHECK(several.status == 2);
  for (const auto& id : ids) CHECK(holds(several.output, id));
  CHECK(told("tinny/20…" + ids[2].substr(ids[2].size() - 6)).status == 2);
  CHECK(told("tinny").status == 2);
  CHECK(holds(told("tinny").output, "did you mean 'tiny'?"));
  CHECK(told("tag:best").status == 2);
  CHECK(told("").status == 2);
  CHECK(told("../..").status == 2);
  CHECK(desk.ask({"tag", ids[0], "+best", "old"}).status == 0);
  CHECK(holds(told("tag:best").output, ids[0]));
  CHECK(desk.ask({"tag", ids[1], "+best"}).status == 0);
  CHECK(told("tag:best").status == 2);  // two runs have it
  CHECK(holds(told("tag:bets").output, "did you mean 'best'?"));
  CHECK(desk.ask({"tag", ids[1], "-best"}).output == "tiny/" + ids[1] + ": no tags\n");
  CHECK(holds(told("tag:best").output, ids[0]));
  CHECK(desk.ask({"tag", ids[0], "-best", "-old"}).status == 0);
  CHECK(desk.ask({"tag", ids[0], "-best"}).status == 2);
  CHECK(desk.ask({"tag", ids[0], "+a b"}).status == 2);
  CHECK_FALSE(fs::exists(desk.path() / "results/tiny" / ids[0] / "notes.yaml"));
}

TEST_CASE("notes are kept, shown, and in the report", "[cli][runs]") {
  const auto& desk = three_runs();
  const auto ids = run_ids(desk);
  CHECK(desk.ask({"note", ids[1], "with", "<b>the new</b> loader"}).status == 0);
  CHECK(desk.ask({"tag", ids[1], "+shown"}).status == 0);
  CHECK(holds(desk.ask({"note", ids[1]}).output, "<b>the new</b> loader"));
  CHECK(holds(desk.ask({"runs", "tag=shown"}).output, "with <b>the new</b> loader"));
  CHECK(desk.ask({"report", ids[1], "--no-figures"}).status == 0);
  const auto page = read_file(desk.path() / "results/tiny" / ids[1] / "report.html");
  CHECK(holds(page, "with &lt;b&gt;the new&lt;/b&gt; loader"));
  CHECK(holds(page, "<code>shown</code>"));
  CHECK(desk.ask({"note", ids[1], "--remove"}).status == 0);
  CHECK(desk.ask({"tag", ids[1], "-shown"}).status == 0);
}

TEST_CASE("two runs are compared", "[cli][runs]") {
  const auto& desk = three_runs();
  const auto ids = run_ids(desk);
  const auto answer = desk.ask({"compare", ids[1], ids[2]});
  CHECK(answer.status == 0);
  CHECK(holds(answer.output, "optimizer.lr  0.001  |  0.5"));
  CHECK(holds(answer.output, "over 2 seeds"));
  CHECK(holds(answer.output, "code: the same"));
  CHECK_FALSE(holds(answer.output, "trainer.epochs"));
  CHECK(holds(desk.ask({"compare", ids[1], ids[2], "--all"}).output, "trainer.epochs"));
  CHECK(nlohmann::json::parse(desk.ask({"compare", ids[1], ids[2], "--json"}).output)["results"].size() >= 2);
  CHECK(desk.ask({"compare", ids[1]}).status == 2);
}

TEST_CASE("jobs and steps are exported", "[cli][runs]") {
  const auto& desk = three_runs();
  const auto csv = desk.ask_shell("yatlab export tiny --format csv 2>/dev/null");
  CHECK(csv.status == 0);
  const auto lines = split(csv.output, '\n');
  CHECK(lines.size() == 1 + 4 + 1);
  CHECK(holds(lines[0], "experiment,run,job,arm,seed,state,"));
  const auto all = desk.ask({"export", "tiny", "--all", "--out", "out/jobs.jsonl"});
  CHECK(all.status == 0);
  CHECK(holds(all.output, "10 rows"));
  const auto first = split(read_file(desk.path() / "out/jobs.jsonl"), '\n').front();
  CHECK(nlohmann::json::parse(first)["state"] == "completed");
  CHECK(std::distance(fs::directory_iterator(desk.path() / "out"), fs::directory_iterator()) == 1);
  CHECK(desk.ask_shell("yatlab export tiny --per step 2>/dev/null | head -1")
            .output.rfind("experiment,run,job,arm,seed,step,epoch,tokens,", 0) == 0);
  const auto parquet = desk.ask({"export", "tiny", "--out", "x.parquet"});
  CHECK(parquet.status == 2);
  CHECK(holds(parquet.output, "to_parquet"));
  CHECK(desk.ask({"export", "tiny", "--per", "stp"}).status == 2);
  CHECK(desk.ask({"export"}).status == 2);
}

TEST_CASE("status exits with the state of a run and --follow ends with the run", "[cli][runs]") {
  const Desk desk(
      "name: tiny\ndefaults:\n  - /dataset: synthetic_digits\n  - /architecture: prototype_classifier\n  - _self_\n"
      "dataset: {train_size: 60, test_size: 20}\ntrainer: {epochs: 1, batch_size: 20}\nseeds: [0]\narms:\n  yat: [operator=yat]\n");
  CHECK(desk.ask({"status"}).status == 2);
  train(desk);
  const auto done = desk.ask({"status", "--follow"});
  CHECK(done.status == 0);
  CHECK(holds(done.output, "1 job: 1 done\n"));
  CHECK_FALSE(holds(done.output, "\x1b"));
  const auto job = fs::canonical(desk.run()) / "jobs/yat/seed=0";
  auto status = read_job_status(job);
  status.state = JobState::kFailed;
  status.error = "no luck\n  at: all";
  write_job_status(job, status);
  const auto failed = desk.ask({"status"});
  CHECK(failed.status == 1);
  CHECK(holds(failed.output, "yat seed=0  no luck\n"));
  const auto followed = desk.ask({"status", "-f"});
  CHECK(followed.status == 1);
  CHECK(holds(followed.output, "failed: yat seed=0: no luck\n"));
  // A running one is followed to its end.
  status.state = JobState::kRunning;
  status.host = "elsewhere";
  write_job_status(job, status);
  write_heartbeat(job, {std::time(nullptr), 5, 10, 1, ""});
  CHECK(desk.ask({"status"}).status == 0);
  const fs::path output = desk.path() / "followed.txt";
  testing::Process process({"status", "--follow", "--every", "0.1"}, desk.path(), output, desk.environment());
  CHECK(process.wait_until([&] { return fs::exists(output) && holds(read_file(output), "1 running (50 %)"); }));
  status.state = JobState::kCompleted;
  write_job_status(job, status);
  CHECK(process.wait() == 0);
  CHECK(holds(read_file(output), "1 done\n"));
}

TEST_CASE("prune removes superseded runs and the remaining runs still work", "[cli][runs]") {
  const Desk desk(kTinyExperiment);
  train(desk);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  train(desk, {"seeds=[0,1]"});
  const auto ids = run_ids(desk);
  REQUIRE(ids.size() == 2);
  const auto shown = desk.ask({"prune"});
  CHECK(shown.status == 0);
  CHECK(holds(shown.output, "would remove  tiny/" + ids[0]));
  CHECK(holds(shown.output, "yatlab prune --yes\n"));
  CHECK(run_ids(desk).size() == 2);
  CHECK(holds(desk.ask({"prune", "--yes", "--dry-run"}).output, "nothing was removed"));
  CHECK(run_ids(desk).size() == 2);
  // The proposed command, typed exactly.
  const auto checkpoints = desk.ask({"prune", "tiny/" + ids[1], "--checkpoints", "none"});
  CHECK(holds(checkpoints.output, "2 places") == false);
  const auto command = trim(checkpoints.output.substr(checkpoints.output.rfind("yatlab prune")));
  CHECK(desk.ask_shell(command).status == 0);
  CHECK_FALSE(fs::exists(desk.run() / "jobs/yat/seed=0/checkpoints"));
  CHECK(desk.ask({"prune", "--yes"}).status == 0);
  CHECK(run_ids(desk) == std::vector<std::string>{ids[1]});
  CHECK(holds(desk.ask({"prune"}).output, "nothing to remove"));
  // Jobs without checkpoints count as finished.
  const auto again = desk.ask({"tiny.yaml", "seeds=[0,1]", "figures.format=svg"});
  CHECK(again.status == 0);
  CHECK(holds(again.output, "4 of 4 jobs already done"));
  CHECK_FALSE(holds(again.output, "note:"));
  // So a larger run takes them over.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  const auto more = desk.ask({"tiny.yaml", "seeds=[0,1,2]", "figures.format=svg"});
  CHECK(holds(more.output, "4 of 6 jobs already done"));
}

TEST_CASE("runs, conditions and rules are completed", "[cli][completion][runs]") {
  const auto& desk = three_runs();
  const auto ids = run_ids(desk);
  const auto proposed = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"complete", "--"});
    return desk.ask(words).output;
  };
  CHECK(holds(proposed({"status", "ti"}), "tiny\n"));
  CHECK(holds(proposed({"compare", "tiny", "tiny/2"}), "tiny/" + ids[0] + "\n"));
  CHECK(holds(proposed({"report", "tiny/"}), ids[1]));
  CHECK(holds(proposed({"runs", "optimizer.l"}), "optimizer.lr=\n"));
  CHECK(holds(proposed({"runs", "'test/acc"}), "test/accuracy>\n"));
  CHECK_FALSE(holds(proposed({"runs", "test/acc"}), "test/accuracy>"));
  CHECK(holds(proposed({"runs", "state=f"}), "state=failed\n"));
  CHECK(holds(proposed({"prune", "--checkpoints", "k"}), "keep-last\n"));
  CHECK(holds(proposed({"export", "--format", ""}), "jsonl\n"));
  CHECK(holds(proposed({"export", "--per", ""}), "step\n"));
}

}  // namespace yatlab
