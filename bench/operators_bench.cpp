// The fused yat layer against its peers: the author's layer composed of ATen operations, and
// Linear + GELU. See docs/measurements/performance.md for how to run it and what came out.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <torch/autograd.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/ops/vector_code.h"
#include "core/ops/yat.h"

namespace {

using at::Tensor;

struct Inputs {
  Tensor x, w, bias, alpha, grad;
};

using Layer = std::function<Tensor(const Inputs&)>;

/// alpha * (x.w + b)^2 / (|x - w|^2 + epsilon), fused.
Tensor fused(const Inputs& in) {
  yatlab::YatOptions o;
  o.bias = in.bias;
  o.scale = in.alpha;
  return yatlab::yat(in.x, in.w, o);
}

/// The same layer as one writes it with tensor operations, all in the storage type; the dot product
/// is recovered from the linear layer's output, as in the author's code.
Tensor composed(const Inputs& in) {
  const Tensor y = at::linear(in.x, in.w, in.bias);
  const Tensor dot = y - in.bias;
  const Tensor distance = (in.x.pow(2).sum(-1, true) + in.w.pow(2).sum(-1) - 2 * dot).clamp_min(0) + 1e-5;
  return y.pow(2) / distance * in.alpha;
}

Tensor linear_gelu(const Inputs& in) { return at::gelu(at::linear(in.x, in.w, in.bias)); }

struct Shape {
  std::int64_t batch, inputs, units;
};

Inputs make(const Shape& s, at::ScalarType type) {
  at::manual_seed(1);
  const auto leaf = [&](Tensor t) { return t.to(type).set_requires_grad(true); };
  Inputs in;
  in.x = leaf(at::randn({s.batch, s.inputs}));
  in.w = leaf(at::randn({s.units, s.inputs}) * 0.05);
  in.bias = leaf(at::randn({s.units}) * 0.1);
  in.alpha = leaf(at::ones({1}));
  in.grad = at::randn({s.batch, s.units}).to(type);
  return in;
}

/// Of all variables; Linear + GELU does not use alpha. The graph is kept for the next round.
std::vector<Tensor> gradients(const Inputs& in, const Tensor& y) {
  return torch::autograd::grad({y}, {in.x, in.w, in.bias, in.alpha}, {in.grad}, true, false, true);
}

void forward_backward(benchmark::State& state, const Layer& layer, const Shape& shape, at::ScalarType type) {
  const Inputs in = make(shape, type);
  for (auto _ : state) {
    const Tensor y = layer(in);
    benchmark::DoNotOptimize(gradients(in, y));
  }
}

void forward(benchmark::State& state, const Layer& layer, const Shape& shape, at::ScalarType type) {
  const Inputs in = make(shape, type);
  for (auto _ : state) benchmark::DoNotOptimize(layer(in));
}

void backward(benchmark::State& state, const Layer& layer, const Shape& shape, at::ScalarType type) {
  const Inputs in = make(shape, type);
  const Tensor y = layer(in);
  for (auto _ : state) {
    benchmark::DoNotOptimize(gradients(in, y));
  }
}

/// Keeps the medians and prints the ratios that docs/measurements/performance.md shows.
class Ratios : public benchmark::ConsoleReporter {
 public:
  Ratios() : ConsoleReporter(OO_None) {}
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs) {
      if (run.aggregate_name == "median") {
        medians_[run.run_name.function_name + run.run_name.args] = run.GetAdjustedRealTime();
      }
    }
  }
  void Finalize() override {
    fmt::print(
        "\n| case | yat ms | Linear+GELU ms | composed ms | yat / Linear+GELU | composed / yat |\n"
        "|---|---:|---:|---:|---:|---:|\n");
    for (const auto& [name, ms] : medians_) {
      const auto cut = name.rfind('/');
      if (name.substr(cut + 1) != "yat") continue;
      const auto prefix = name.substr(0, cut + 1);
      const double gelu = medians_[prefix + "linear_gelu"], slow = medians_[prefix + "composed"];
      fmt::print("| {} | {:.3f} | {:.3f} | {:.3f} | {:.2f} | {:.2f} |\n", name.substr(0, cut), ms, gelu, slow, ms / gelu, slow / ms);
    }
  }

 private:
  std::map<std::string, double> medians_;
};

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "(unset)";
}

}  // namespace

int main(int argc, char** argv) {
  // Repetitions of different cases alternate, so that a busy moment does not fall on one of them.
  std::string interleave = "--benchmark_enable_random_interleaving=true";
  std::vector<char*> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + 1, interleave.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  if (const char* given = std::getenv("YATLAB_THREADS")) threads = std::atoi(given);
  at::set_num_threads(threads);
  fmt::print(
      "torch threads {}, kernels {}, OPENBLAS_CORETYPE {}, OPENBLAS_NUM_THREADS {}, "
      "OMP_WAIT_POLICY {}\n",
      at::get_num_threads(), yatlab::kernel::instruction_set_name(), setting("OPENBLAS_CORETYPE"), setting("OPENBLAS_NUM_THREADS"),
      setting("OMP_WAIT_POLICY"));

  using Run = void (*)(benchmark::State&, const Layer&, const Shape&, at::ScalarType);
  const std::vector<std::pair<const char*, Run>> passes = {{"forward", forward}, {"backward", backward}, {"both", forward_backward}};
  const std::vector<std::pair<const char*, Layer>> layers = {{"yat", fused}, {"linear_gelu", linear_gelu}, {"composed", composed}};
  for (const auto& [type_name, type] : {std::pair{"fp32", at::kFloat}, {"bf16", at::kBFloat16}}) {
    for (const Shape& shape : {Shape{512, 768, 3072}, Shape{128, 784, 10}, Shape{64, 256, 4000}}) {
      for (const auto& [pass_name, pass] : passes) {
        for (const auto& [layer_name, layer] : layers) {
          const auto name = fmt::format("{}/{}x{}x{}/{}/{}", type_name, shape.batch, shape.inputs, shape.units, pass_name, layer_name);
          benchmark::RegisterBenchmark(
              name.c_str(), [pass = pass, layer = layer, shape, type = type](benchmark::State& state) { pass(state, layer, shape, type); })
              ->UseRealTime()
              ->Unit(benchmark::kMillisecond)
              ->Repetitions(11)
              ->MinTime(0.05)
              ->ReportAggregatesOnly();
        }
      }
    }
  }
  Ratios ratios;
  benchmark::RunSpecifiedBenchmarks(&ratios);
}
