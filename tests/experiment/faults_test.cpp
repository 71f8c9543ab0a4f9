// The system refuses the n-th call of a kind, for every n: a clear error, and the same command then resumes to the same bytes.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>

#include "catch.h"
#include "core/base/failure.h"
#include "core/library/export_runs.h"
#include "core/report/report.h"
#include "core/system/stop.h"
#include "experiment/support.h"
#include "failing_files.h"
#include "holds.h"

namespace yatlab {
namespace {

using testing::contents_below;
using testing::differences;
using testing::FailingFiles;
using testing::holds;
using testing::Workspace;

struct Kind {
  const char* name;
  const char* experiment;
  long step;  ///< every step-th call is refused. Jobs and checkpoints are several, so that every third still hits each kind of work
};

// Claims and studies draw figures in one format: each takes longer than the rest of the run.
const Kind kKinds[] = {
    {"training", R"(name: tiny
defaults:
  - /dataset: synthetic_digits
  - /architecture: prototype_classifier
  - _self_
dataset: {train_size: 40, test_size: 20}
trainer: {epochs: 2, batch_size: 20, checkpoint_steps: 2, checkpoint_seconds: 1000}
seeds: [0, 1]
launcher: {workers: 2}
trackers: []
arms:
  yat: [operator=yat]
analyses: [prototype_images]
)",
     3},
    {"language model", R"(name: tiny
defaults:
  - /dataset: generated_text
  - /architecture: gpt2
  - /size: nano
  - /task: language_modeling
  - /optimizer: adamw
  - /schedule: cosine
  - _self_
dataset: {train_stories: 3, test_stories: 1, context: 16}
architecture: {layers: 1, heads: 1, width: 8, context: 16, dropout: 0.1}
schedule: {warmup_steps: 1}
trainer: {steps: 4, eval_steps: 2, batch_size: 2, eval_batch_size: 16, log_every: 1, checkpoint_steps: 2, checkpoint_seconds: 1000}
seeds: [0]
trackers: []
arms:
  gpt2: [operator=dot]
)",
     2},
    {"search", R"(name: tiny
defaults:
  - /dataset: synthetic_digits
  - /architecture: prototype_classifier
  - _self_
dataset: {train_size: 40, test_size: 20}
trainer: {epochs: 1, batch_size: 20}
seeds: [0]
trackers: []
arms:
  yat: [operator=yat]
sweep: {optimizer.lr: 'interval(0.001, 0.1)'}
sweeper: {name: tpe, startup: 2, trials: 3, batch: 1}
tables:
  tab:one: {columns: [test/loss]}
)",
     3},
    {"claim", R"(name: tiny
defaults:
  - /operator: yat
  - _self_
claims: ["thm:self-similarity"]
seeds: [0]
trackers: []
report: {default_figures: true}
figures: {format: svg}
)",
     1},
    {"study", R"(name: tiny
defaults:
  - /architecture: prototype_classifier
  - _self_
studies: [first_row]
seeds: [0]
trackers: []
report: {default_figures: true}
figures: {format: svg}
arms:
  yat: [operator=yat]
)",
     1},
};

constexpr int kCodes[] = {EACCES, EIO, ETIMEDOUT, EAGAIN, EINTR, ENOTCONN, EHOSTDOWN, ENODEV, EUCLEAN, ESTALE, EMFILE, ENOMEM};

/// YATLAB_FAULTS=all: every call of every kind, a quarter of an hour.
long step_of(const Kind& kind) {
  const char* faults = std::getenv("YATLAB_FAULTS");
  return faults && faults == std::string("all") ? 1 : kind.step;
}

/// The outcome of a run under failing files: "" on success, else the message.
std::string attempt(const Workspace& w, FileCalls& calls) {
  const FileCallsReplaced replaced(calls);
  try {
    return w.run().exit_code == 0 ? "" : "exit code 1";
  } catch (...) {
    const auto e = current_error();
    INFO(e.what());
    CHECK(e.kind() != ErrorKind::kInternal);
    CHECK_FALSE(e.why().empty());
    return e.what();
  }
}

void check_state(const Workspace& w, const std::map<std::string, std::string>& expected) {
  testing::UnsyncedFiles calls;
  const FileCallsReplaced replaced(calls);
  const auto outcome = w.run();
  CHECK(outcome.exit_code == 0);
  CHECK(differences(expected, contents_below(outcome.directory / "jobs")).empty());
  for (const auto& entry : fs::recursive_directory_iterator(w.path() / "results")) {
    INFO(entry.path().string());
    CHECK(entry.path().extension() != ".tmp");
  }
}

/// step: 1 for every call, n for every n-th.
void refuse_every(const Kind& kind, bool forever, long step) {
  const Workspace unbroken(kind.experiment);
  const auto expected = contents_below(unbroken.run().directory / "jobs");
  long refused = 0, tried = 0;
  for (const auto call : FailingFiles::kAll) {
    const Workspace counted(kind.experiment);
    FailingFiles count(call);
    REQUIRE(attempt(counted, count).empty());
    for (long n = 0; n < count.calls(); n += step) {
      INFO(FailingFiles::name_of(call) << " " << n << " of " << count.calls());
      const Workspace w(kind.experiment);
      FailingFiles refuses(call, n, call == FailingFiles::Call::kOpen ? EMFILE : ENOSPC, forever);
      refused += !attempt(w, refuses).empty();
      ++tried;
      check_state(w, expected);
    }
  }
  CHECK(tried * step > 40);
  CHECK(refused > tried / 2);  // the others concern the log and the removal of leftovers
}

}  // namespace

TEST_CASE("after any failed file operation the same command gives identical results", "[run][faults][slow]") {
  for (const auto& kind : kKinds) {
    DYNAMIC_SECTION(kind.name) { refuse_every(kind, false, step_of(kind)); }
  }
}

TEST_CASE("after a full disk at any moment the same command gives identical results", "[run][faults][slow]") {
  for (const auto& kind : kKinds) {
    DYNAMIC_SECTION(kind.name) { refuse_every(kind, true, 5 * step_of(kind)); }
  }
}

TEST_CASE("after any failed read of finished results nothing is trained again", "[run][faults]") {
  for (const auto* kind : {&kKinds[0], &kKinds[2]}) {
    const Workspace w(kind->experiment);
    const auto run = w.run().directory;
    const auto expected = contents_below(run / "jobs", true);
    const auto trials = fs::exists(run / "trials.jsonl") ? read_file(run / "trials.jsonl") : "";
    std::size_t code = 0;
    long refused = 0, tried = 0;
    for (const auto call : FailingFiles::kReading) {
      FailingFiles count(call);
      REQUIRE(attempt(w, count).empty());
      const long step = std::getenv("YATLAB_FAULTS") ? 1 : 1 + count.calls() / 40;
      for (long n = 0; n < count.calls(); n += step) {
        const int what = kCodes[code++ % std::size(kCodes)];
        INFO(kind->name << ": " << FailingFiles::name_of(call) << " " << n << " of " << count.calls() << ", " << std::strerror(what));
        FailingFiles refuses(call, n, what, false);
        const auto said = attempt(w, refuses);
        ++tried;
        if (!said.empty() && said != "exit code 1") {
          ++refused;
          CHECK(said.find(std::strerror(what)) != std::string::npos);
        }
        REQUIRE(differences(expected, contents_below(run / "jobs", true)) == std::vector<std::string>{});
        if (!trials.empty()) REQUIRE(read_file(run / "trials.jsonl") == trials);
      }
    }
    CHECK(tried > 60);
    CHECK(refused > tried / 2);
    CHECK(std::distance(fs::directory_iterator(run.parent_path()), fs::directory_iterator()) == 2);  // this run, and `latest`
  }
}

TEST_CASE("after any failed read of interrupted results the same command gives identical results", "[run][faults]") {
  const auto& kind = kKinds[0];
  const Workspace unbroken(kind.experiment), w(kind.experiment);
  const auto expected = contents_below(unbroken.run().directory / "jobs");
  {  // some jobs are done, some have checkpoints
    FailingFiles count(FailingFiles::Call::kSync);
    const Workspace counted(kind.experiment);
    REQUIRE(attempt(counted, count).empty());
    FailingFiles full(FailingFiles::Call::kSync, count.calls() / 2, ENOSPC, true);
    REQUIRE_FALSE(attempt(w, full).empty());
  }
  const auto results = w.path() / "results", kept = w.path() / "kept";
  fs::copy(results, kept, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  std::size_t code = 0;
  long refused = 0, tried = 0;
  for (const auto call : FailingFiles::kReading) {
    const auto back = [&] {
      fs::remove_all(results);
      fs::copy(kept, results, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    };
    back();
    FailingFiles count(call);
    REQUIRE(attempt(w, count).empty());
    const long step = std::getenv("YATLAB_FAULTS") ? 1 : 1 + count.calls() / 25;
    for (long n = 0; n < count.calls(); n += step) {
      const int what = kCodes[code++ % std::size(kCodes)];
      INFO(FailingFiles::name_of(call) << " " << n << " of " << count.calls() << ", " << std::strerror(what));
      back();
      FailingFiles refuses(call, n, what, false);
      refused += !attempt(w, refuses).empty();
      ++tried;
      check_state(w, expected);
    }
  }
  CHECK(tried > 40);
  CHECK(refused > tried / 2);
}

TEST_CASE("a failed read gives the same report or export or is reported", "[run][faults]") {
  const Workspace w(kKinds[0].experiment);
  const auto run = w.run().directory;
  std::vector<std::string> said;
  const std::function<std::string()> report = [&] {
    ReportOptions options;
    options.figures = false;
    said = write_report(run, options).problems;
    std::string out;
    for (const auto& [name, text] : contents_below(run)) {
      if (name.rfind("jobs/", 0) != 0) out += name + "\n" + text;
    }
    return out;
  };
  const auto exported = [&](ExportRows rows) {
    return std::function<std::string()>([&said, &run, rows] {
      std::string out;
      said = export_runs({run}, rows, ExportFormat::kCsv, [&](std::string_view text) { out += text; }).notes;
      return out;
    });
  };
  const std::pair<const char*, std::function<std::string()>> ways[] = {
      {"report", report}, {"export of jobs", exported(ExportRows::kJobs)}, {"export of steps", exported(ExportRows::kSteps)}};
  std::size_t code = 0;
  for (const auto& [name, make] : ways) {
    const auto expected = make();
    for (const auto call : FailingFiles::kReading) {
      FailingFiles count(call);
      {
        const FileCallsReplaced replaced(count);
        REQUIRE(make() == expected);
      }
      const long step = std::getenv("YATLAB_FAULTS") ? 1 : 1 + count.calls() / 40;
      for (long n = 0; n < count.calls(); n += step) {
        const int what = kCodes[code++ % std::size(kCodes)];
        INFO(name << ": " << FailingFiles::name_of(call) << " " << n << " of " << count.calls() << ", " << std::strerror(what));
        FailingFiles refuses(call, n, what, false);
        std::string made;
        try {
          const FileCallsReplaced replaced(refuses);
          made = make();
        } catch (...) {
          said = {current_error().what()};
        }
        const bool is_said =
            std::any_of(said.begin(), said.end(), [&](const std::string& text) { return holds(text, std::strerror(what)); });
        CHECK((is_said || made == expected));
        REQUIRE(make() == expected);
      }
    }
  }
}

TEST_CASE("a disk that becomes full interrupts jobs instead of failing them", "[run][faults]") {
  const Workspace w(kKinds[0].experiment);
  FailingFiles count(FailingFiles::Call::kWrite);
  REQUIRE(attempt(w, count).empty());
  const Workspace full(kKinds[0].experiment);
  FailingFiles refuses(FailingFiles::Call::kWrite, count.calls() / 3, ENOSPC, true);
  const FileCallsReplaced replaced(refuses);
  const auto outcome = full.run({"launcher.workers=1"});
  CHECK(outcome.exit_code == 1);
  CHECK(stop_signal() == 0);
  CHECK_FALSE(fs::exists(outcome.directory / "jobs/yat/seed=1/status.json"));
}

}  // namespace yatlab
