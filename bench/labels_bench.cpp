// One training step of experiments/eurlex4k.yaml's yat arm on made-up batches in the shape of Amazon-670K (135,909
// features, 76 a row, 5 labels a row), from 4 thousand labels to 670 thousand: seconds, and the process's peak memory so far.
// Run one case a process to see its own peak: --benchmark_filter='blocks/670091/'.
#include <ATen/ATen.h>
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdlib>
#include <random>
#include <set>
#include <vector>

#include "core/data/sparse_rows.h"
#include "core/registry/registry.h"
#include "core/system/freed_memory.h"
#include "core/train/optimizer.h"
#include "core/train/task.h"
#include "core/train/threads.h"
#include "plugins/extreme/architectures/label_ranker.h"

namespace {
using namespace yatlab;

constexpr std::int64_t kBatch = 512, kFeatures = 135909;

Node spec(const char* name, const std::vector<std::pair<std::string, Node>>& parameters = {}) {
  Node out = Node::map();
  out.set("name", name);
  for (const auto& [key, value] : parameters) out.set(key, value);
  return out;
}

/// Rows of `each` distinct columns.
Tensor random_rows(std::int64_t width, std::size_t each, std::mt19937_64& random) {
  std::vector<std::int64_t> starts{0}, columns;
  for (std::int64_t row = 0; row < kBatch; ++row) {
    std::set<std::int64_t> chosen;
    while (chosen.size() < each) chosen.insert(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(width)));
    columns.insert(columns.end(), chosen.begin(), chosen.end());
    starts.push_back(static_cast<std::int64_t>(columns.size()));
  }
  return make_sparse_rows(at::tensor(starts, at::kLong), at::tensor(columns, at::kLong),
                          at::ones({static_cast<std::int64_t>(columns.size())}), width);
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Step {
  std::shared_ptr<Architecture> model = Registry<Architecture>::create(
      spec("label_prototypes",
           {{"logits", "log"}, {"init", spec("normal", {{"std", 0.0625}})}, {"prototype_init", spec("normal", {{"std", 0.0625}})}}));
  std::shared_ptr<Task> task;
  std::shared_ptr<Optimizer> adam = Registry<Optimizer>::create("adam");
  Tensor inputs, targets;

  Step(std::int64_t labels, std::int64_t block) : task(Registry<Task>::create(spec("multilabel", {{"block", block}}))) {
    const char* threads = std::getenv("YATLAB_THREADS");
    keep_freed_memory();
    set_compute_threads(threads ? std::atoi(threads) : 1);
    BuildContext context;
    context.op = Registry<Operator>::create(spec("yat", {{"epsilon", 1e-4}}));
    context.input_shape = {kFeatures};
    context.num_classes = labels;
    model->build(context);
    adam->attach(model->parameters());
    std::mt19937_64 random(1);
    inputs = random_rows(kFeatures, 76, random);
    targets = random_rows(labels, 5, random);
  }
};

void train_step(benchmark::State& state, bool blocks) {
  Step step(state.range(0), blocks ? 8192 : 0);
  for (auto _ : state) {
    for (const auto& p : step.model->parameters()) p.mutable_grad().reset();
    step.task->training_loss(*step.model, step.inputs, step.targets).backward();
    step.adam->step(1e-3);
  }
  state.counters["peak_MiB"] = peak_mib();
}

void rank(benchmark::State& state) {
  Step step(state.range(0), 0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(dynamic_cast<LabelRanker&>(*step.model).top_k(step.inputs, 5).indices.data_ptr());
  }
  state.counters["peak_MiB"] = peak_mib();
}

#define YATLAB_LABELS ->Arg(4000)->Arg(13000)->Arg(31000)->Arg(131000)->Arg(670091)->Unit(benchmark::kMillisecond)->UseRealTime()
BENCHMARK_CAPTURE(train_step, blocks, true) YATLAB_LABELS;
BENCHMARK_CAPTURE(train_step, whole, false) YATLAB_LABELS;
BENCHMARK(rank) YATLAB_LABELS;

}  // namespace

BENCHMARK_MAIN();
