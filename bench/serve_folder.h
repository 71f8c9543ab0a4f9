// Made-up folders of runs for bench_serve.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/fake_run.h"

namespace yatlab::testing {

/// `count` lines of settings, so that configs are as long as real ones.
inline std::string settings_text(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += fmt::format("setting_{}: {{name: value, rate: {}, steps: {}}}\n", i, 0.001 * i, 100 * i);
  return out;
}

/// A run of `arms` arms without jobs.
inline FakeRun run_of_arms(const std::string& experiment, const std::string& id, int arms) {
  FakeRun run;
  run.experiment = experiment;
  run.run_id = id;
  run.plan_hash = id;
  run.code = "c0de";
  run.title = "Made-up results of " + experiment;
  run.config = "name: " + experiment + "\ntitle: \"Made-up results of " + experiment + "\"\narms:\n";
  for (int arm = 0; arm < arms; ++arm) {
    run.arms.push_back(fmt::format("arm_{:02}", arm));
    run.config += fmt::format("  arm_{:02}: [operator=some, operator.width={}]\n", arm, arm);
  }
  run.config +=
      "metrics:\n  test/accuracy: {title: \"test accuracy\"}\n  test/loss: {title: \"test loss\"}\n"
      "tables:\n  tab:made_up: {columns: [test/accuracy, test/loss]}\n" +
      settings_text(60);
  return run;
}

inline FakeRun::Job made_up_job(const std::string& arm, int seed, Random& random) {
  FakeRun::Job job;
  job.arm = arm;
  job.seed = seed;
  job.metrics = {{"test/accuracy", 0.9 + 0.01 * random.normal()},
                 {"test/loss", 0.3 + 0.01 * random.normal()},
                 {"train/loss", 0.2 + 0.01 * random.normal()},
                 {"model/parameters", 7850},
                 {"weights/norm", 3 + random.normal()}};
  job.performance = {{"samples_per_s", 1e5}, {"peak_rss_bytes", 3e8}};
  job.wall_s = 3 + random.uniform();
  job.with_manifest = true;
  return job;
}

/// Writes a job's metrics.jsonl without holding its rows in memory. Call it before FakeRun::write, whose manifest counts the file.
inline void write_rows(const fs::path& run, const FakeRun::Job& job, int rows, const std::vector<std::string>& metrics, Random& random) {
  const auto path = run / FakeRun::directory(job) / "metrics.jsonl";
  fs::create_directories(path.parent_path());
  std::string text;
  const double level = 1 + random.uniform();
  for (int row = 0; row < rows; ++row) {
    text += fmt::format("{{\"step\":{},\"epoch\":{}", 10 * (row + 1), 0.01 * (row + 1));
    for (std::size_t m = 0; m < metrics.size(); ++m)
      text += fmt::format(",\"{}\":{:.9g}", metrics[m], level * static_cast<double>(m + 1) / std::sqrt(row + 1.0) + 0.02 * random.normal());
    text += "}\n";
  }
  std::ofstream(path, std::ios::binary) << text;
}

/// 300 runs with 12,000 jobs.
inline void write_many_runs(const fs::path& results) {
  Random random(1);
  for (int number = 0; number < 300; ++number) {
    const auto experiment = fmt::format("experiment_{}", number % 10);
    auto run =
        run_of_arms(experiment, fmt::format("2026-11-{:02}_{:02}-{:02}-00-{:06x}", 1 + number / 24, number % 24, number % 60, number), 4);
    if (number % 3 == 0) run.overrides = {"trainer.epochs=2", fmt::format("optimizer.lr={}", 0.001 * number)};
    for (const auto& arm : run.arms) {
      for (int seed = 0; seed < 10; ++seed) {
        auto job = made_up_job(arm, seed, random);
        job.hash = fmt::format("{:x}{}{}", number, arm, seed);
        job.config = fmt::format("operator: {{name: {}}}\n", arm) + settings_text(60);
        write_rows(results / experiment / run.run_id, job, 10, {"train/loss"}, random);
        run.jobs.push_back(std::move(job));
      }
    }
    run.write(results / experiment / run.run_id);
  }
}

/// One run of 5,000 jobs (10 arms, 50 points, 10 seeds) with 1,000,000 rows.
inline void write_large_run(const fs::path& results) {
  Random random(2);
  auto run = run_of_arms("large", "2026-11-28_12-00-00-abcdef", 10);
  run.swept = {"optimizer.lr"};
  const fs::path folder = results / run.experiment / run.run_id;
  for (const auto& arm : run.arms) {
    for (int point = 0; point < 50; ++point) {
      for (int seed = 0; seed < 10; ++seed) {
        auto job = made_up_job(arm, seed, random);
        job.params["optimizer.lr"] = std::stod(fmt::format("{:.3g}", 1e-4 * std::pow(1.15, point)));
        job.hash = fmt::format("{}{}_{}", arm, point, seed);
        job.config = fmt::format("operator: {{name: {}}}\noptimizer: {{name: adam, lr: {}}}\n", arm, job.params["optimizer.lr"].dump()) +
                     settings_text(60);
        write_rows(folder, job, 200, {"train/loss", "test/loss", "test/accuracy"}, random);
        run.jobs.push_back(std::move(job));
      }
    }
  }
  run.write(folder);
}

/// One run of 40 arms with 12 metrics at 10,000 steps each.
inline void write_curves(const fs::path& results) {
  Random random(3);
  auto run = run_of_arms("curves", "2026-11-28_13-00-00-abcdef", 40);
  const fs::path folder = results / run.experiment / run.run_id;
  std::vector<std::string> metrics;
  for (int m = 0; m < 12; ++m) metrics.push_back(fmt::format("test/metric_{:02}", m));
  for (const auto& arm : run.arms) {
    auto job = made_up_job(arm, 0, random);
    job.hash = arm;
    write_rows(folder, job, 10'000, metrics, random);
    run.jobs.push_back(std::move(job));
  }
  run.write(folder);
}

}  // namespace yatlab::testing
