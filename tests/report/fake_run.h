// Fake run directories in the runner's format, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/manifest.h"
#include "core/config/yaml.h"
#include "core/record/job_file.h"
#include "temporary_folder.h"

namespace yatlab::testing {

using Json = nlohmann::ordered_json;

/// Writes a run directory. Change the members, then call `write`.
struct FakeRun {
  std::string experiment = "mnist_inversion", run_id = "2026-11-21_14-02-11-3fa9c1";
  std::string title;   // as in the plan
  std::string config;  // YAML text
  Json scale = nullptr;
  std::vector<std::string> arms, swept, protocol_overrides, overrides, added_arms;
  std::string plan_hash, code;
  Json environment = nullptr;
  Json search = nullptr;
  Json docs = nullptr;  ///< descriptions of metrics by the components that measure them; older runs have none
  Json dataset = {{"name", "mnist"}, {"sha256", "ab12"}, {"tier", "local"}, {"substituted_for", nullptr}};

  struct Job {
    std::string arm;
    int seed = 0;
    Json params = Json::object();
    Json metrics = Json::object();
    std::string state = "completed";
    std::vector<Json> curve;
    std::map<std::string, Json> artifacts;
    Json performance = Json::object();
    std::string hash = "h";
    std::string config = {};  // YAML text
    std::string error = {};
    double wall_s = 0;
    bool with_manifest = false;                 // as finished jobs of current versions have
    std::map<std::string, Json> analyses = {};  // name -> metrics
    std::vector<std::string> changed_by = {};   // overrides
    Json dataset = nullptr;                     // null: the run's
  };
  std::vector<Job> jobs;

  /// A job with these losses, each summed over a document's tokens.
  void add_documents(const std::string& arm, int seed, const std::vector<double>& tokens, const std::vector<double>& losses) {
    Job job;
    job.arm = arm;
    job.seed = seed;
    job.metrics = {
        {"documents/loss", std::accumulate(losses.begin(), losses.end(), 0.0) / std::accumulate(tokens.begin(), tokens.end(), 0.0)}};
    job.artifacts = {{"documents", {{"tokens", tokens}, {"losses", losses}}}};
    jobs.push_back(job);
  }

  static std::string directory(const Job& job) {
    std::string dir = "jobs/" + job.arm + "/seed=" + std::to_string(job.seed);
    for (const auto& [key, value] : job.params.items()) dir += "," + key + "=" + value.dump();
    return dir.size() < 180 ? dir
                            : dir.substr(0, 160) + "-" + sha256(dir).substr(0, 8);  // like planned jobs, whose names file systems limit
  }

  // Without fsync, since tests write thousands of files.
  static void put(const fs::path& path, const std::string& bytes) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }

  void write(const fs::path& root) const {
    Json plan = {{"schema", 1},
                 {"experiment", experiment},
                 {"run_id", run_id},
                 {"title", title},
                 {"scale", scale},
                 {"arms", arms},
                 {"swept", swept},
                 {"protocol_overrides", protocol_overrides},
                 {"overrides", overrides},
                 {"hash", plan_hash},
                 {"code", code}};
    if (!docs.is_null()) plan["metrics"] = docs;
    if (!search.is_null()) plan["search"] = search;
    if (!added_arms.empty()) plan["added_arms"] = added_arms;
    plan["jobs"] = Json::array();
    for (const auto& job : jobs) {
      const std::string dir = directory(job);
      plan["jobs"].push_back({{"arm", job.arm}, {"seed", job.seed}, {"params", job.params}, {"hash", job.hash}, {"dir", dir}});
      if (!job.changed_by.empty()) plan["jobs"].back()["changed_by"] = job.changed_by;
      Json status{{"state", job.state}, {"performance", job.performance}};
      if (!job.error.empty()) status["error"] = job.error;
      if (job.wall_s > 0) status["wall_s"] = job.wall_s;
      put(root / dir / "status.json", sealed(status));
      if (!job.config.empty()) {
        JobFile file;
        file.type = "training";
        file.arm = job.arm;
        file.seed = job.seed;
        file.hash = job.hash;
        file.config = parse_yaml(job.config, "job");
        put(root / dir / "job.yaml", to_yaml(file));
      }
      for (const auto& [name, metrics] : job.analyses) {
        const auto folder = root / dir / "analyses" / name;
        put(folder / "job.yaml", "");
        put(folder / "status.json", sealed(Json{{"state", "completed"}}));
        put(folder / "summary.json", Json{{"schema", 1}, {"hash", name}, {"status", "completed"}, {"metrics", metrics}}.dump());
        plan["jobs"].back()["analyses"].push_back({{"name", name}, {"hash", name}, {"dir", dir + "/analyses/" + name}});
      }
      if (job.state == "completed" || job.state == "diverged") {
        const Json summary = {{"schema", 1},
                              {"arm", job.arm},
                              {"seed", job.seed},
                              {"params", job.params},
                              {"hash", job.hash},
                              {"status", job.state},
                              {"steps", 4690},
                              {"wall_s", 3.1},
                              {"metrics", job.metrics},
                              {"dataset", job.dataset.is_null() ? dataset : job.dataset}};
        put(root / dir / "summary.json", summary.dump());
      }
      std::string lines;
      for (const auto& line : job.curve) lines += line.dump() + "\n";
      if (!lines.empty()) put(root / dir / "metrics.jsonl", lines);
      for (const auto& [name, json] : job.artifacts) {
        put(root / dir / "artifacts" / (name + ".json"), json.dump());
      }
      if (!job.with_manifest) continue;
      auto names = files_below(root / dir);
      names.erase(std::remove_if(names.begin(), names.end(),
                                 [](const std::string& name) {
                                   return name == "status.json" || name == "manifest.json" || name == "job.yaml" ||
                                          name.rfind("analyses/", 0) == 0;
                                 }),
                  names.end());
      put(root / dir / "manifest.json", Json{{"schema", 1}, {"files", manifest_of(root / dir, names)}}.dump(2));
    }
    if (!environment.is_null()) put(root / "environment.json", environment.dump(2));
    put(root / "plan.json", plan.dump(2));
    put(root / "config.yaml", config);
  }
};

/// The MNIST experiment, with numbers like those of real runs.
inline FakeRun mnist_run() {
  FakeRun run;
  run.arms = {"linear", "yat"};
  run.config = R"yaml(name: mnist_inversion
title: "MNIST results (10-neuron classifier)"
arms:
  linear: [operator=dot]
  yat: [operator=yat]
metrics:
  inverted/accuracy: {title: "inverted accuracy"}
  test/accuracy: {title: "test accuracy"}
  train/loss: {title: "training loss"}
tables:
  tab:mnist_results:
    columns:
      - {metric: test/accuracy, header: Acc., format: percent}
      - {metric: prototypes/norm_change, header: '$\Delta\|w\|$', format: signed_percent}
      - {metric: model/alpha, header: '$\alpha$'}
    compare: {metric: test/accuracy, baseline: linear}
figures:
  fig:mnist_prototypes: {plot: prototypes, seed: 0}
paper:
  linear: {test/accuracy: 0.9208, prototypes/norm_change: 0.138}
  yat: {test/accuracy: 0.9238, prototypes/norm_change: -0.045, model/alpha: 2.68}
  tolerance: {test/accuracy: 0.005, prototypes/norm_change: 0.02, model/alpha: 0.1}
)yaml";
  const double linear[] = {0.9176, 0.9184, 0.9191, 0.9179, 0.9190};
  const double yat[] = {0.9221, 0.9230, 0.9239, 0.9228, 0.9232};
  const double linear_norm[] = {0.131, 0.127, 0.136, 0.129, 0.132};
  const double yat_norm[] = {0.001, 0.024, -0.012, -0.018, 0.010};
  const double alpha[] = {2.69, 2.79, 2.55, 2.62, 2.80};
  for (int s = 0; s < 5; ++s) {
    run.jobs.push_back(
        {"linear", s, Json::object(), {{"test/accuracy", linear[s]}, {"prototypes/norm_change", linear_norm[s]}}, "completed", {}, {}});
  }
  for (int s = 0; s < 5; ++s) {
    run.jobs.push_back({"yat",
                        s,
                        Json::object(),
                        {{"test/accuracy", yat[s]}, {"prototypes/norm_change", yat_norm[s]}, {"model/alpha", alpha[s]}},
                        "completed",
                        {},
                        {}});
  }
  return run;
}

/// Uniform in [0, 1), the same on every platform.
class Random {
 public:
  explicit Random(unsigned seed) : state_(seed * 2654435761u + 1) {}
  double uniform() {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 8) / 16777216.0;
  }
  double normal() {
    const double u = uniform() + 1e-9, v = uniform();
    return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
  }

 private:
  unsigned state_;
};

}  // namespace yatlab::testing
