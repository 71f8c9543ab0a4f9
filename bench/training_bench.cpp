// Jobs as they are run, with an evaluation after each epoch, analyses, and everything that is written: one of
// experiments/mnist_inversion.yaml (5 epochs; its peer is bench/pytorch_mnist.py), and three epochs of the yat arm of
// experiments/eurlex4k.yaml (bench/eurlex_pytorch.py).
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/job/data_cache.h"
#include "core/job/job.h"
#include "core/plan/plan.h"
#include "core/registry/registry.h"

namespace {
using namespace yatlab;

void run_arm(benchmark::State& state, const char* experiment, const std::string& arm, const std::vector<std::string>& overrides) {
  PlanRequest request;
  request.experiment = std::filesystem::path(YATLAB_SOURCE_DIR) / "experiments" / experiment;
  request.overrides = overrides;
  request.config_path = {std::filesystem::path(YATLAB_SOURCE_DIR) / "configs"};
  const auto plan = make_plan(request);
  static DataCache data{DataContext{}};
  std::string pattern = (std::filesystem::temp_directory_path() / "yatlab-bench-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  for (const auto& job : plan.jobs) {
    if (job.arm != arm) continue;
    data.get(job.config.at("dataset"));  // loading is shared by all jobs of a run: not counted
    for (auto _ : state) {
      JobObserver observer;
      const auto result = run_job(job, folder / job.arm, data, observer);
      if (result.state != JobState::kCompleted) state.SkipWithError(result.why.c_str());
      state.PauseTiming();
      std::filesystem::remove_all(folder / job.arm);
      state.ResumeTiming();
    }
    break;
  }
  std::filesystem::remove_all(folder);
}

using Overrides = std::vector<std::string>;
const Overrides kThreads = {std::string("trainer.threads=") + (std::getenv("YATLAB_THREADS") ? std::getenv("YATLAB_THREADS") : "1")};
const Overrides kEurlex = {kThreads[0], "trainer.epochs=3", "seeds=1"};

#define YATLAB_TIMES \
  ->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(5)->ReportAggregatesOnly()->MeasureProcessCPUTime()->UseRealTime()
BENCHMARK_CAPTURE(run_arm, mnist_linear, "mnist_inversion.yaml", "linear", kThreads) YATLAB_TIMES;
BENCHMARK_CAPTURE(run_arm, mnist_yat, "mnist_inversion.yaml", "yat", kThreads) YATLAB_TIMES;
BENCHMARK_CAPTURE(run_arm, eurlex_yat, "eurlex4k.yaml", "yat", kEurlex) YATLAB_TIMES;

}  // namespace

BENCHMARK_MAIN();
