// What logging to a W&B run log costs a training step, and what the log costs later. docs/performance.md says how to run it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "bench/count.h"
#include "plugins/wandb/log/log_file.h"
#include "plugins/wandb/log/run_log.h"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Row = std::vector<std::pair<std::string, double>>;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double resident_mb() {
  std::ifstream in("/proc/self/statm");
  double all = 0, resident = 0;
  in >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1048576;
}

Row row(std::int64_t step) {
  const double x = 1.0 / static_cast<double>(step + 1);
  return {
      {"epoch", static_cast<double>(step / 100)}, {"train/loss", x}, {"test/loss", 2 * x}, {"test/accuracy", 1 - x}, {"model/alpha", 0.78}};
}

yatlab::wandb::RunDescription description(const std::string& id) {
  yatlab::wandb::RunDescription d;
  d.id = id;
  d.project = "bench";
  return d;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t rows = yatlab::count_of(argc, argv, "ROWS", 1000000);
  const fs::path folder = fs::temp_directory_path() / fmt::format("yatlab-bench-{}", ::getpid());
  {
    yatlab::wandb::RunLog log(folder, description("one"));
    std::vector<float> took(static_cast<std::size_t>(rows));
    const double before = resident_mb();
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto start = Clock::now();
      log.history(i, row(i));
      took[static_cast<std::size_t>(i)] = static_cast<float>(since(start));
      if (i + 1 == rows / 10 || i + 1 == rows) fmt::print("{:>9} rows: {:.1f} MB more memory than before\n", i + 1, resident_mb() - before);
    }
    log.finish(0);
    const double all = since(begin);
    std::sort(took.begin(), took.end());
    const auto at = [&](double share) { return 1e6 * took[static_cast<std::size_t>(share * static_cast<double>(rows - 1))]; };
    fmt::print("{} rows of 5 metrics in {:.2f} s: {:.2f} us each (median {:.2f}, 99 % {:.2f}, longest {:.0f}), {:.0f} bytes each\n", rows,
               all, 1e6 * all / static_cast<double>(rows), at(0.5), at(0.99), at(1),
               static_cast<double>(fs::file_size(log.path())) / static_cast<double>(rows));
    const auto reading = Clock::now();
    yatlab::wandb::LogReader reader(log.path());
    std::string record;
    std::int64_t records = 0;
    while (reader.next(record) == yatlab::wandb::LogReader::Result::kRecord) ++records;
    fmt::print("{} records read back in {:.2f} s, to the last byte: {}\n", records, since(reading),
               reader.position() == fs::file_size(log.path()));
  }
  {
    const auto begin = Clock::now();
    std::vector<std::thread> jobs;
    for (int j = 0; j < 50; ++j) {
      jobs.emplace_back([&, j] {
        yatlab::wandb::RunLog log(folder, description(fmt::format("job{}", j)));
        for (std::int64_t i = 0; i < rows / 50; ++i) log.history(i, row(i));
        log.finish(0);
      });
    }
    for (auto& job : jobs) job.join();
    fmt::print("50 jobs at once, {} rows in all: {:.2f} s, {:.2f} us of wall clock each\n", rows / 50 * 50, since(begin),
               1e6 * since(begin) / static_cast<double>(rows));
  }
  fs::remove_all(folder);
  return 0;
}
