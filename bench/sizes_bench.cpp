// Whether what is read costs in proportion to its size: each kind of input once, twice and four times as large, in seconds of the
// processor. docs/performance.md says how to run it.
#include <fmt/format.h>

#include <ctime>
#include <functional>
#include <string>

#include "bench/count.h"
#include "core/library/export_runs.h"
#include "core/plan/plan.h"
#include "plugins/kernels/datasets/csv_file.h"
#include "report/fake_run.h"

namespace {

using namespace yatlab;
using namespace yatlab::testing;

std::string repeated(std::int64_t times, const std::function<std::string(std::int64_t)>& part) {
  std::string out;
  for (std::int64_t i = 0; i < times; ++i) out += part(i);
  return out;
}

void plan_of_arms(const fs::path& folder, std::int64_t arms) {
  write_file_unsynced(
      folder / "arms.yaml",
      "name: arms\ndefaults: [/dataset: synthetic_digits, /architecture: prototype_classifier, _self_]\nseeds: 0\narms:\n" +
          repeated(arms, [](auto i) { return fmt::format("  a{}: [operator=yat, optimizer.lr={}]\n", i, 0.001 + 1e-7 * i); }));
  PlanRequest request;
  request.experiment = folder / "arms.yaml";
  request.config_path = {fs::path(YATLAB_SOURCE_DIR) / "configs"};
  make_plan(request);
}

void table_of_columns(std::int64_t columns) {
  const auto head = repeated(columns, [](auto i) { return fmt::format("c{},", i); }) + "y\n";
  const auto row = repeated(columns, [](auto) { return std::string("0.5,"); }) + "a\n";
  parse_csv(head + row + row, "wide.csv", ',', true);
}

void export_of_metrics(const fs::path& folder, std::int64_t metrics) {
  FakeRun run;
  run.arms = {"yat"};
  run.config = "name: wide\narms: {yat: []}\n";
  FakeRun::Job job;
  job.arm = "yat";
  Json row{{"step", 1}};
  for (std::int64_t i = 0; i < metrics; ++i) row[fmt::format("m/{}", i)] = 0.5;
  job.curve = {row, row};
  run.jobs = {job};
  run.write(folder / "run");
  export_runs({folder / "run"}, ExportRows::kSteps, ExportFormat::kCsv, [](std::string_view) {});
}

}  // namespace

int main(int argc, char** argv) {
  const auto scale = count_of(argc, argv, "TIMES", 1);
  const TemporaryFolder scratch;
  const struct {
    const char* name;
    std::int64_t size;
    std::function<void(const fs::path&, std::int64_t)> work;
  } kinds[] = {
      {"arms of an experiment, planned", 500, plan_of_arms},
      {"columns of a CSV table", 100'000, [](const fs::path&, std::int64_t n) { table_of_columns(n); }},
      {"metrics of one row, exported", 1'000, export_of_metrics},
  };
  fmt::print("{:32} {:>9} {:>8} {:>8} {:>8}   twice, four times as large\n", "", "size", "s", "s", "s");
  for (const auto& kind : kinds) {
    double seconds[3];
    for (int step = 0; step < 3; ++step) {
      const auto folder = scratch.path() / std::to_string(step);
      fs::remove_all(folder);
      fs::create_directories(folder);
      const auto begin = std::clock();
      kind.work(folder, kind.size * scale << step);
      seconds[step] = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    }
    fmt::print("{:32} {:>9} {:8.3f} {:8.3f} {:8.3f}   {:.1f}, {:.1f}\n", kind.name, kind.size * scale, seconds[0], seconds[1], seconds[2],
               seconds[1] / seconds[0], seconds[2] / seconds[0]);
  }
}
