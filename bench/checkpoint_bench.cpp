// How long a training is held by a checkpoint: written before it goes on, and beside it. docs/performance.md says how to run it.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <vector>

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

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 7;
  const fs::path folder = fs::temp_directory_path() / fmt::format("yatlab-bench-{}", ::getpid());
  const yatlab::CheckpointStore store(folder);
  fmt::print("| parameters | bytes | held, written first | held, written beside | until it is there |\n|---:|---:|---:|---:|---:|\n");
  for (const std::int64_t parameters : {8'000, 1'000'000, 10'000'000, 124'000'000}) {
    auto checkpoint = checkpoint_of(parameters);
    std::vector<double> first, beside, there;
    for (int i = 0; i < repeats; ++i) {
      auto begin = Clock::now();
      store.save(checkpoint);
      first.push_back(since(begin));
      ++checkpoint.step;
      yatlab::CheckpointWriter writer(store);
      begin = Clock::now();
      writer.begin(checkpoint);
      beside.push_back(since(begin));
      writer.wait();
      there.push_back(since(begin));
      ++checkpoint.step;
    }
    fmt::print("| {} | {:.1f} MB | {:.1f} ms | {:.2f} ms | {:.1f} ms |\n", parameters, static_cast<double>(parameters) * 12 / 1e6,
               median(first) * 1e3, median(beside) * 1e3, median(there) * 1e3);
  }
  fs::remove_all(folder);
}
