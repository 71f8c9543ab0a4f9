// How long a training is held by a checkpoint, and how much memory it takes: written before the training goes on, and beside it, from a copy or read
// where the tensors lie. docs/performance.md says how to run it.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "bench/count.h"
#include "core/train/checkpoint_writer.h"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A model of so many float32 parameters in matrices of a million, with Adam's two moments.
yatlab::Checkpoint checkpoint_of(std::int64_t parameters) {
  yatlab::Checkpoint out{1, {}, {}, "{}\n"};
  for (std::int64_t at = 0; at < parameters; at += 1'000'000) {
    const auto n = std::min<std::int64_t>(1'000'000, parameters - at);
    const auto name = fmt::format("h.{}", at / 1'000'000);
    out.model.emplace_back(name, at::randn({n}));
    out.optimizer.emplace_back(name + ".m", at::randn({n}));
    out.optimizer.emplace_back(name + ".v", at::randn({n}));
  }
  return out;
}

/// Of this process, from /proc/self/status ("VmRSS", "VmHWM").
double megabytes(const std::string& name) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(name + ":", 0) == 0) return std::strtod(line.c_str() + name.size() + 1, nullptr) * 1024 / 1e6;
  }
  return 0;
}
/// From now on VmHWM is the peak since; what is resident now.
double forget_peak() {
  std::ofstream("/proc/self/clear_refs") << 5;
  return megabytes("VmRSS");
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t repeats = yatlab::count_of(argc, argv, "REPEATS", 7);
  const fs::path folder = fs::temp_directory_path() / fmt::format("yatlab-bench-{}", ::getpid());
  const yatlab::CheckpointStore store(folder);
  fmt::print("| parameters | bytes | written | held | held at most | until it is there | memory |\n|---:|---:|:---|---:|---:|---:|---:|\n");
  for (const std::int64_t parameters : {8'000, 1'000'000, 10'000'000, 124'000'000}) {
    auto checkpoint = checkpoint_of(parameters);
    std::vector<at::Tensor> unchanged;
    for (const auto* tensors : {&checkpoint.model, &checkpoint.optimizer}) {
      for (const auto& entry : *tensors) unchanged.push_back(entry.second);
    }
    const auto line = [&](const char* how, const auto& save) {
      std::vector<double> begun, let, there, memory;
      for (int i = 0; i < repeats; ++i) {
        ++checkpoint.step;
        const double before = forget_peak();
        const auto begin = Clock::now();
        save([&] { begun.push_back(since(begin)); }, [&] { let.push_back(since(begin)); });
        there.push_back(since(begin));
        memory.push_back(megabytes("VmHWM") - before);
      }
      fmt::print("| {} | {:.1f} MB | {} | {:.2f} ms | {:.2f} ms | {:.1f} ms | {:.0f} MB |\n", parameters,
                 static_cast<double>(parameters) * 12 / 1e6, how, median(begun) * 1e3, median(let) * 1e3, median(there) * 1e3,
                 median(memory));
    };
    line("first", [&](const auto& begun, const auto& let) {
      store.save(checkpoint);
      begun();
      let();
    });
    for (const bool copied : {true, false}) {
      yatlab::CheckpointWriter::largest_copy = copied ? std::numeric_limits<std::uintmax_t>::max() : 0;
      line(copied ? "from a copy" : "in place", [&](const auto& begun, const auto& let) {
        yatlab::CheckpointWriter writer(store);
        writer.begin(checkpoint, unchanged);
        begun();
        if (!writer.release_parameters()) std::abort();
        let();
        writer.wait();
      });
    }
  }
  fs::remove_all(folder);
}
