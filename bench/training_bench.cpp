// One job of experiments/mnist_inversion.yaml, whole: 5 epochs with an evaluation after each, analyses, and
// everything that is written. Its peer is bench/pytorch_mnist.py.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "core/experiment/job.h"
#include "core/experiment/plan.h"
#include "core/registry/registry.h"

namespace {
using namespace yatlab;

void mnist_job(benchmark::State& state, const std::string& arm) {
  PlanRequest request;
  request.experiment = std::filesystem::path(YATLAB_SOURCE_DIR) / "experiments/mnist_inversion.yaml";
  request.config_path = {std::filesystem::path(YATLAB_SOURCE_DIR) / "configs"};
  const auto plan = make_plan(request);
  static DataCache data{DataContext{}};
  std::string pattern = (std::filesystem::temp_directory_path() / "yatlab-bench-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  for (const auto& job : plan.jobs) {
    if (job.arm != arm) continue;
    data.get(job.config.at("dataset"));  // loading is shared by all jobs of a run: not counted
    for (auto _ : state) {
      JobHooks hooks;
      hooks.stop = [] { return false; };
      const auto result = run_job(job, folder / job.arm, data, hooks);
      if (result.state != JobState::kCompleted) state.SkipWithError(result.why.c_str());
      state.PauseTiming();
      std::filesystem::remove_all(folder / job.arm);
      state.ResumeTiming();
    }
    break;
  }
  std::filesystem::remove_all(folder);
}

BENCHMARK_CAPTURE(mnist_job, linear, "linear")->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(5)->ReportAggregatesOnly();
BENCHMARK_CAPTURE(mnist_job, yat, "yat")->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(5)->ReportAggregatesOnly();

}  // namespace

BENCHMARK_MAIN();
