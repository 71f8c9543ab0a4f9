// Results folders with fake runs.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/library/run_index.h"
#include "report/fake_run.h"

namespace yatlab::testing {

/// A sweep over epsilon: arms x epsilons x seeds, with configs in the run and in its jobs.
inline FakeRun swept_run(const std::string& id, double shift = 0) {
  FakeRun run;
  run.experiment = "sweep";
  run.run_id = id;
  run.arms = {"linear", "yat"};
  run.swept = {"operator.epsilon"};
  run.overrides = {"trainer.epochs=3", "seeds=range(0,3)"};
  run.plan_hash = "plan-" + id;
  run.code = "c0de1234";
  run.config = "name: sweep\ntitle: A sweep\nseeds: [0, 1, 2]\nworkers: 2\noperator: {name: dot}\ntrainer: {epochs: 3}\n";
  run.environment = {{"host", "node1"}, {"git", {{"revision", "abcdef0123"}, {"dirty", false}}}};
  for (const char* arm : {"linear", "yat"}) {
    for (const double epsilon : {1e-5, 0.1}) {
      for (int seed = 0; seed < 3; ++seed) {
        FakeRun::Job job;
        job.arm = arm;
        job.seed = seed;
        job.params = {{"operator.epsilon", epsilon}};
        const bool yat = job.arm == "yat";
        job.metrics = {{"test/accuracy", (yat ? 0.92 : 0.90) + 0.001 * seed + (epsilon > 0.01 ? 0.01 : 0) + shift},
                       {"test/loss", 0.3 - 0.01 * seed}};
        job.config = fmt::format("operator: {{name: {}{}}}\noptimizer: {{name: adam, lr: 0.001}}\nhidden: [64, 32]\nseed: {}\n",
                                 yat ? "yat" : "dot", yat ? fmt::format(", epsilon: {}", epsilon) : "", seed);
        job.hash = fmt::format("{}-{}-{}", arm, epsilon, seed);
        job.wall_s = 2.5;
        job.artifacts["norms"] = {{"norm", 0.5}};
        job.with_manifest = true;
        run.jobs.push_back(job);
      }
    }
  }
  return run;
}

inline fs::path place_run(const fs::path& results, const FakeRun& run, bool latest = true) {
  const fs::path path = results / run.experiment / run.run_id;
  run.write(path);
  if (latest) replace_symlink(run.run_id, results / run.experiment / "latest");
  return path;
}

/// Replaces a text in a file, as an editor does.
inline void change_file(const fs::path& path, const std::string& from, const std::string& to) {
  auto text = read_file(path);
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("'" + from + "' is not in " + path.string());
  write_file_unsynced(path, text.replace(at, from.size(), to));
}

}  // namespace yatlab::testing
