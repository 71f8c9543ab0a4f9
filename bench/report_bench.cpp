// How long the report of a large search takes, how large its page is, and how long `runs` looks for it: a made-up run of many trials over ten
// parameters. docs/performance.md says how to run it.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "bench/count.h"
#include "core/library/run_index.h"
#include "core/library/run_list.h"
#include "core/report/report.h"
#include "report/fake_run.h"

namespace {

using namespace yatlab;
using namespace yatlab::testing;
using Clock = std::chrono::steady_clock;

constexpr const char* kParameters[] = {"optimizer.lr",          "optimizer.beta1",        "optimizer.beta2",    "optimizer.weight_decay",
                                       "operator.epsilon",      "architecture.init.std",  "trainer.batch_size", "task.label_smoothing",
                                       "schedule.warmup_steps", "architecture.alpha_init"};

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// A job's config, as long as real ones are, with its point set in it.
std::string config_of(const Json& point) {
  std::string out;
  int part = 0;
  for (const auto& [key, value] : point.items())
    out += fmt::format("part_{}: {{name: some, {}: {}}}\n", part++, key.substr(key.rfind('.') + 1), value.dump());
  for (int i = 0; i < 60; ++i) out += fmt::format("setting_{}: {}\n", i, i);
  return out;
}

FakeRun large_search(std::int64_t trials) {
  FakeRun run;
  run.experiment = "large";
  run.run_id = "2026-11-28_12-00-00-abcdef";
  run.arms = {"yat"};
  run.swept.assign(std::begin(kParameters), std::end(kParameters));
  run.search = {{"method", "tpe"}, {"metric", "test/loss"}, {"better", "lower"}, {"trials", trials}};
  run.config = "name: large\ntitle: Large\narms: {yat: []}\ntables: {tab:large: {columns: [test/loss, test/accuracy]}}\n";
  Random random(1);
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    FakeRun::Job job;
    job.arm = "yat";
    for (const char* parameter : kParameters) job.params[parameter] = std::stod(fmt::format("{:.4g}", std::pow(10, -4 * random.uniform())));
    job.metrics = {{"test/loss", random.uniform()}, {"test/accuracy", random.uniform()}, {"train/loss", random.uniform()}};
    for (int step = 0; step <= 100; step += 10)
      job.curve.push_back({{"step", step}, {"epoch", 0.01 * step}, {"train/loss", 2 - 0.01 * step}, {"test/loss", 2.1 - 0.01 * step}});
    job.config = config_of(job.params);
    job.with_manifest = true;
    run.jobs.push_back(std::move(job));
  }
  return run;
}

}  // namespace

int main(int argc, char** argv) {
  const auto trials = count_of(argc, argv, "TRIALS", 5000);
  const TemporaryFolder scratch;
  const auto run = large_search(trials);
  const fs::path folder = scratch.path() / run.experiment / run.run_id;
  run.write(folder);
  fmt::print("{} trials over {} parameters\n", trials, run.swept.size());
  auto begin = Clock::now();
  ReportOptions options;
  options.figures = false;
  write_report(folder, options);
  fmt::print("report without figures: {:.1f} s, page {:.1f} MB\n", since(begin),
             static_cast<double>(fs::file_size(folder / "report.html")) / 1e6);
  begin = Clock::now();
  options.figures = true;
  write_report(folder, options);
  fmt::print("report: {:.1f} s\n", since(begin));
  for (const char* when : {"the first time", "later"}) {
    begin = Clock::now();
    const auto index = RunIndex::open(scratch.path());
    const auto text = runs_text(index, find_runs(index, {}), 0);
    fmt::print("runs, {}: {:.2f} s\n", when, since(begin));
    if (index.runs().size() != 1) return 1;
  }
}
