// Damaged files: detected, reported, and recreated, with only the affected work repeated.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "catch.h"
#include "core/compose/trained_model.h"
#include "core/job/job.h"
#include "core/record/job_history.h"
#include "core/record/run_view.h"
#include "core/report/report.h"
#include "core/run/run_directory.h"
#include "core/system/stop.h"
#include "experiment/components.h"
#include "experiment/support.h"
#include "holds.h"

namespace yatlab {
namespace {

using testing::contents_below;
using testing::differences;
using testing::holds;
using testing::with;
using testing::Witness;
using testing::Workspace;
using Strings = std::vector<std::string>;

struct Quiet {
  ~Quiet() {
    Witness::clear();
    Witness::on_progress() = {};
    request_stop(0);
  }
};

void overwrite(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Changes one character of a file.
void alter(const fs::path& path, std::size_t at) {
  auto bytes = read_file(path);
  REQUIRE(bytes.size() > at);
  bytes[at] = bytes[at] == '1' ? '2' : '1';
  overwrite(path, bytes);
}

std::string checkpoint_of(const fs::path& job) { return entries_of(job / "checkpoints").back().string(); }

/// The jobs that tracker "witness" saw start.
Strings begun() {
  Strings out;
  for (const auto& event : Witness::events()) {
    if (event.rfind("begin ", 0) == 0) out.push_back(event);
  }
  return out;
}

struct Harm {
  const char* name;
  void (*act)(const fs::path& job);
  const char* says;
  bool trained_again;
};

const Harm kHarms[] = {
    {"an emptied history", [](const fs::path& j) { overwrite(j / "metrics.jsonl", ""); }, "metrics.jsonl has 0 bytes, not ", true},
    {"no history", [](const fs::path& j) { fs::remove(j / "metrics.jsonl"); }, "metrics.jsonl: No such file or directory", true},
    {"an altered number in the history", [](const fs::path& j) { alter(j / "metrics.jsonl", 30); },
     "metrics.jsonl has changed since it was written (sha256)", true},
    {"a damaged final checkpoint", [](const fs::path& j) { alter(checkpoint_of(j) + "/model.safetensors", 900); },
     "model.safetensors has changed since it was written", true},
    {"a checkpoint without its model", [](const fs::path& j) { fs::remove(checkpoint_of(j) + "/model.safetensors"); },
     "model.safetensors: No such file", true},
    {"an altered result", [](const fs::path& j) { alter(j / "summary.json", read_file(j / "summary.json").find("test/accuracy") + 17); },
     "summary.json has changed", false},
    {"an altered finding", [](const fs::path& j) { alter(j / "analyses/prototype_images/media/index.json", 40); },
     "media/index.json has changed", false},
    {"an analysis without results", [](const fs::path& j) { fs::remove(j / "analyses/prototype_norms/summary.json"); },
     "summary.json: No such file or directory", false},
    {"no manifest", [](const fs::path& j) { fs::remove(j / "manifest.json"); }, "manifest.json: No such file or directory", false},
    {"a manifest that is not JSON", [](const fs::path& j) { overwrite(j / "manifest.json", "{"); }, "manifest.json cannot be read", false},
    {"a manifest of nothing", [](const fs::path& j) { overwrite(j / "manifest.json", "{\"files\": {}}"); }, "the manifest lists no files",
     false},
    {"an altered status", [](const fs::path& j) { alter(j / "status.json", read_file(j / "status.json").find("wall_s") + 11); },
     "status.json has changed since it was written", true},
    {"half a status", [](const fs::path& j) { overwrite(j / "status.json", "{\"state\": \"compl"); },
     "status.json has changed since it was written", true},
};

}  // namespace

TEST_CASE("a finished job with damaged files is redone with identical results", "[run][damage]") {
  const Quiet quiet;
  const std::string text = with("analyses: [prototype_norms, prototype_images]\n");
  const Workspace reference(text);
  const auto expected = contents_below(reference.run().directory / "jobs");
  for (const auto& harm : kHarms) {
    INFO(harm.name);
    const Workspace w(text);
    const auto first = w.run();
    const fs::path job = first.directory / "jobs/yat/seed=1";
    const auto untouched = read_file(first.directory / "jobs/yat/seed=0/status.json");
    harm.act(job);
    std::int64_t steps = 0;
    Witness::on_progress() = [&](const JobSpec& spec, const Progress&) {
      CHECK(spec.label() == "yat seed=1");
      ++steps;
    };
    Witness::clear();
    const auto second = w.run({"trackers=[witness]"});
    CHECK(second.exit_code == 0);
    CHECK(second.directory == first.directory);
    CHECK(differences(expected, contents_below(second.directory / "jobs")).empty());
    CHECK(Witness::events().size() == 10);  // start, three kept jobs, one begun, a finish for each, the end
    CHECK((steps > 0) == harm.trained_again);
    CHECK(read_file(first.directory / "jobs/yat/seed=0/status.json") == untouched);
    const auto log = read_file(first.directory / "log.txt");
    INFO(log);
    CHECK(holds(log, std::string("note: jobs/yat/seed=1")));
    CHECK(holds(log, harm.says));
    CHECK(holds(log, "; the job runs again"));
  }
}

TEST_CASE("a damaged job.yaml is rewritten as planned", "[run][damage]") {
  const Quiet quiet;
  const Workspace w(with("analyses: [prototype_norms]\n"));
  const auto first = w.run();
  const auto expected = contents_below(first.directory / "jobs", true);
  alter(first.directory / "jobs/yat/seed=1/job.yaml", 12);
  overwrite(first.directory / "jobs/yat/seed=0/job.yaml", "");
  fs::remove(first.directory / "jobs/yat/seed=0/analyses/prototype_norms/job.yaml");
  CHECK(w.run().directory == first.directory);
  CHECK(differences(expected, contents_below(first.directory / "jobs", true)).empty());
}

TEST_CASE("damaged results of claims and studies are redone", "[run][damage]") {
  const Workspace w("name: tiny\ndefaults:\n  - /operator: yat\n  - _self_\nclaims: [\"thm:self-similarity\"]\nseeds: [0]\ntrackers: []\n");
  const auto first = w.run();
  const auto expected = contents_below(first.directory / "jobs");
  const fs::path job = first.directory / "jobs/main/seed=0,claim=thm_self-similarity";
  alter(job / "artifacts/claim.json", 30);
  CHECK(w.run().exit_code == 0);
  CHECK(differences(expected, contents_below(first.directory / "jobs")).empty());
  CHECK(
      holds(read_file(first.directory / "log.txt"), "artifacts/claim.json has changed since it was written (sha256); the job runs again"));
}

TEST_CASE("an interrupted job with damaged history or checkpoints gives identical results", "[run][damage]") {
  const Quiet quiet;
  const auto steps = Strings{"trainer.checkpoint_steps=3"};
  const Workspace plain;
  const auto expected = contents_below(plain.run(steps).directory / "jobs");
  const std::pair<const char*, void (*)(const fs::path&)> harms[] = {
      {"a shorter history", [](const fs::path& j) { fs::resize_file(j / "metrics.jsonl", 10); }},
      {"another history", [](const fs::path& j) { alter(j / "metrics.jsonl", 30); }},
      {"no history", [](const fs::path& j) { fs::remove(j / "metrics.jsonl"); }},
      {"a damaged checkpoint", [](const fs::path& j) { alter(checkpoint_of(j) + "/model.safetensors", 900); }},
      {"another status", [](const fs::path& j) { alter(j / "status.json", 20); }},
  };
  for (const auto& [name, act] : harms) {
    INFO(name);
    const Workspace w;
    Witness::on_progress() = [](const JobSpec&, const Progress& p) {
      if (p.step == 7) request_stop(SIGTERM);
    };
    auto overrides = steps;
    overrides.push_back("trackers=[witness]");
    const auto stopped = w.run(overrides);
    REQUIRE(stopped.exit_code == 143);
    request_stop(0);
    Witness::on_progress() = {};
    act(stopped.directory / "jobs/linear/seed=0");
    CHECK(w.run(steps).exit_code == 0);
    CHECK(differences(expected, contents_below(stopped.directory / "jobs")).empty());
    CHECK(holds(read_file(stopped.directory / "log.txt"), "note: jobs/linear/seed=0: "));
  }
}

TEST_CASE("a damaged file in an earlier run does not stop the experiment", "[run][damage][adopt]") {
  const Quiet quiet;
  const std::pair<const char*, void (*)(const fs::path& run)> harms[] = {
      {"a plan that is not JSON", [](const fs::path& r) { overwrite(r / "plan.json", "{\"jobs\": ["); }},
      {"a plan of other types", [](const fs::path& r) { overwrite(r / "plan.json", R"({"hash": 7, "jobs": {"a": 1}})"); }},
      {"a plan whose jobs are numbers", [](const fs::path& r) { overwrite(r / "plan.json", R"({"hash": "x", "jobs": [1, 2]})"); }},
      {"a plan that is a folder",
       [](const fs::path& r) {
         fs::remove(r / "plan.json");
         fs::create_directory(r / "plan.json");
       }},
  };
  for (const auto& [name, act] : harms) {
    INFO(name);
    const Workspace w;
    const auto first = w.run();
    act(first.directory);
    Witness::clear();
    const auto more = w.run({"seeds=[0,1,2]", "trackers=[witness]"});
    CHECK(more.exit_code == 0);
    CHECK(begun().size() == 6);
    CHECK(holds(read_file(more.directory / "log.txt"), "its plan.json cannot be read; none of its jobs are reused"));
  }
  // One damaged job: the others are taken over, and so is an older run's intact copy of this one.
  const Workspace w;
  const auto first = w.run();
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // runs are named by the second
  const auto second = w.run({"seeds=[0,1,2]"});
  const auto expected = contents_below(second.directory / "jobs");
  alter(second.directory / "jobs/yat/seed=0/summary.json", 60);
  overwrite(second.directory / "jobs/yat/seed=2/status.json", "");
  Witness::clear();
  const auto third = w.run({"seeds=[0,1,2,3]", "trackers=[witness]"});
  CHECK(third.exit_code == 0);
  CHECK(begun() == Strings{"begin linear seed=3", "begin yat seed=2", "begin yat seed=3"});
  auto found = contents_below(third.directory / "jobs");
  for (auto it = found.begin(); it != found.end();) it = holds(it->first, "seed=3") ? found.erase(it) : std::next(it);
  CHECK(differences(expected, found).empty());
  const auto log = read_file(third.directory / "log.txt");
  INFO(log);
  CHECK(holds(log, "jobs/yat/seed=0: summary.json has changed since it was written (sha256); it is not reused"));
}

TEST_CASE("a report omits jobs with altered results and says so", "[run][damage]") {
  const Workspace w;
  const auto run = w.run().directory;
  CHECK(RunView::load(run).warnings.empty());
  const fs::path job = run / "jobs/yat/seed=1";
  alter(checkpoint_of(job) + "/model.safetensors", 900);  // no metric is computed from it
  CHECK(RunView::load(run).warnings.empty());
  const auto summary = read_file(job / "summary.json");
  alter(job / "summary.json", summary.find("test/accuracy") + 16);
  REQUIRE(read_file(job / "summary.json") != summary);
  const auto view = RunView::load(run);
  REQUIRE(view.warnings.size() == 1);
  INFO(view.warnings[0]);
  CHECK(holds(view.warnings[0], "jobs/yat/seed=1: summary.json has changed since it was written (sha256); this job is not shown"));
  CHECK_FALSE(view.complete());
  for (const auto& seen : view.jobs) CHECK(seen.finished() == (seen.directory != "jobs/yat/seed=1"));
}

TEST_CASE("a damaged checkpoint is never loaded or replaced by an older one", "[run][damage]") {
  const Quiet quiet;
  const Workspace w;
  const auto job = w.run({"trainer.checkpoint_steps=3", "seeds=[0]"}).directory / "jobs/yat/seed=0";
  REQUIRE(entries_of(job / "checkpoints").size() == 2);
  const auto start = [&](const fs::path& from) {
    return w.error({"seeds=[1]", "~arms.linear", "architecture.weights='" + from.string() + "'"});
  };
  const auto loaded = [&] {
    try {
      load_trained_model(job);
      return std::string("no error");
    } catch (const Error& e) {
      return std::string(e.what());
    }
  };
  const auto last = fs::path(checkpoint_of(job));
  CHECK(start(job) == "no error");
  CHECK(start(last / "model.safetensors") == "no error");
  CHECK(loaded() == "no error");

  const auto sound = read_file(last / "model.safetensors");
  alter(last / "model.safetensors", sound.size() - 7);
  for (const auto& from : {job, last, last / "model.safetensors"}) {
    INFO(from.string());
    CHECK(holds(start(from), "a checkpoint is damaged"));
    CHECK(holds(start(from), "model.safetensors has changed since it was written"));
  }
  CHECK(holds(loaded(), "the last checkpoint of '" + job.string() + "' is damaged"));
  fs::remove_all(last);
  CHECK(holds(loaded(), "the last checkpoint of '" + job.string() + "' is missing"));
}

TEST_CASE("an altered history is never shown or exported or replayed", "[run][damage]") {
  const Quiet quiet;
  const Workspace w;
  const auto run = w.run().directory;
  const auto job = run / "jobs/yat/seed=0";
  const auto curve = [&](const char* name) {
    const auto view = RunView::load(run);
    const auto it = std::find_if(view.jobs.begin(), view.jobs.end(), [&](const JobView& j) { return j.directory == name; });
    REQUIRE(it != view.jobs.end());
    return view.curve(*it).size();
  };
  const auto rows = [&](const fs::path& folder) {
    int n = 0;
    for_each_row(folder, [&](const MetricRow&) { ++n; });
    return n;
  };
  const auto before = curve("jobs/yat/seed=0");
  REQUIRE(before > 3);
  CHECK(rows(job) == static_cast<int>(before));
  const auto text = read_file(job / "metrics.jsonl");
  alter(job / "metrics.jsonl", text.find("loss\":") + 7);
  CHECK(curve("jobs/yat/seed=0") == 0);
  CHECK(curve("jobs/yat/seed=1") == before);
  CHECK_THROWS_AS(rows(job), Error);
  fs::remove(job / "metrics.jsonl");
  CHECK_THROWS_AS(rows(job), Error);
  overwrite(job / "metrics.jsonl", text);
  CHECK(rows(job) == static_cast<int>(before));
}

TEST_CASE("a job whose history is changed while it runs is interrupted and redone", "[run][damage]") {
  const Quiet quiet;
  const std::string text =
      "name: tiny\ndefaults:\n  - /dataset: synthetic_digits\n  - /architecture: prototype_classifier\n  - _self_\n"
      "dataset: {train_size: 120, test_size: 60}\ntrainer: {epochs: 4, batch_size: 20, log_every: 1, checkpoint_steps: 6, "
      "checkpoint_seconds: 1000}\n"
      "seeds: [0]\nlauncher: {workers: 1}\ntrackers: [witness]\narms: {yat: [operator=yat]}\n";
  const Workspace unbroken(text);
  const auto expected = contents_below(unbroken.run().directory / "jobs");
  const std::pair<const char*, void (*)(const fs::path&)> harms[] = {
      {"cut", [](const fs::path& p) { fs::resize_file(p, fs::file_size(p) / 2); }},
      {"altered", [](const fs::path& p) { alter(p, 12); }},
      {"removed", [](const fs::path& p) { fs::remove(p); }},
  };
  for (const auto& [name, harm] : harms) {
    INFO(name);
    const Workspace w(text);
    const auto history = w.path() / "results/tiny/latest/jobs/yat/seed=0/metrics.jsonl";
    bool done = false;
    Witness::on_progress() = [&, act = harm](const JobSpec&, const Progress& p) {
      if (p.step < 15 || done) return;
      done = true;
      act(history);
    };
    const auto outcome = w.run();
    REQUIRE(done);
    CHECK(outcome.exit_code == 1);
    const auto job = outcome.directory / "jobs/yat/seed=0";
    CHECK(recorded_state(job) == JobState::kInterrupted);
    CHECK_FALSE(fs::exists(job / "manifest.json"));
    Witness::on_progress() = {};
    REQUIRE(w.run().exit_code == 0);
    CHECK(differences(expected, contents_below(outcome.directory / "jobs")).empty());
  }
}

TEST_CASE("of several simultaneous first starts one creates the run and the others report it", "[run][lock]") {
  const Workspace w;
  const auto plan = w.plan();
  // Processes, not threads: locks belong to processes.
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      int status = 9;
      try {
        const auto opened = open_run_directory(plan, false);
        ::sleep(3);  // jobs take some time
        status = opened.resumed ? 1 : 0;
      } catch (const Error& e) {
        status = std::string(e.what()).find("this run is already in progress") == 0 ? 2 : 3;
      }
      ::_exit(status);
    }
    children.push_back(child);
  }
  std::vector<int> found;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    found.push_back(WEXITSTATUS(status));
  }
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<int>{0, 2, 2, 2});
  CHECK(entries_of(w.path() / "results/tiny").size() == 2);  // the run, and `latest`
}

TEST_CASE("a report removes temporary files of dead processes", "[run][resume]") {
  const Workspace w;
  const auto run = w.run().directory;
  overwrite(run / "figures/.x.svg.2147483647.0.tmp", "half");
  fs::create_directories(run / "figures/.fig_x.2147483647.0.tmp");
  overwrite(run / "figures/.fig_x.2147483647.0.tmp/figure.gp", "half");
  write_report(run);
  for (const auto& entry : fs::recursive_directory_iterator(run)) CHECK(entry.path().extension() != ".tmp");
}

TEST_CASE("a resumed run removes temporary files of dead processes", "[run][resume]") {
  const Workspace w;
  const auto first = w.run();
  overwrite(first.directory / "tables/.x.tex.2147483647.3.tmp", "half");
  overwrite(first.directory / "jobs/yat/seed=0/.summary.json.2147483647.0.tmp", "half");
  fs::create_directories(first.directory / "jobs/yat/.seed=7.2147483647.0.tmp/artifacts");
  // A run whose process died while writing the plan, or just before the rename: neither is continued.
  fs::copy(first.directory, first.directory.parent_path() / ".2026-01-01_00-00-00-abcdef.2147483647.0.tmp", fs::copy_options::recursive);
  fs::create_symlink("nowhere", first.directory.parent_path() / ".latest.2147483647.0.tmp");
  const auto second = w.run();
  CHECK(second.exit_code == 0);
  CHECK(second.directory == first.directory);
  for (const auto& entry : fs::recursive_directory_iterator(w.path() / "results")) {
    INFO(entry.path().string());
    CHECK(entry.path().extension() != ".tmp");
  }
}

}  // namespace yatlab
