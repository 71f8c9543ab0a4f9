// Tiny experiments, each in its own folder.
#pragma once

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/plan/plan.h"
#include "core/run/run.h"
#include "differences.h"
#include "temporary_folder.h"

namespace yatlab::testing {

/// Two arms, two seeds, 120 generated digits: a job takes milliseconds.
inline const char* const kTiny = R"(name: tiny
defaults:
  - /dataset: synthetic_digits
  - /architecture: prototype_classifier
  - _self_
dataset: {train_size: 120, test_size: 60}
trainer: {epochs: 2, batch_size: 20, log_every: 3, checkpoint_seconds: 1000}
seeds: [0, 1]
launcher: {workers: 1}
trackers: []
arms:
  linear: [operator=dot]
  yat: [operator=yat]
)";

/// The tiny experiment with additional lines.
inline std::string with(const std::string& lines) { return std::string(kTiny) + lines; }

/// An experiment file and the runs that it creates, deleted at the end of the test.
class Workspace {
 public:
  explicit Workspace(const std::string& experiment = kTiny) { rewrite(experiment); }

  /// No figures unless a test requests them: each takes half a second of gnuplot. Appended at the end, so that line numbers do not change.
  void rewrite(const std::string& experiment) {
    const bool says = experiment.find("\nreport:") != std::string::npos;
    std::ofstream(file()) << experiment << "results: " << (folder_.path() / "results").string() << "\n"
                          << (says ? "" : "report: {default_figures: false}\n");
  }
  const fs::path& path() const { return folder_.path(); }
  fs::path file() const { return folder_.path() / "tiny.yaml"; }

  PlanRequest request(std::vector<std::string> overrides = {}, bool multirun = false) const {
    PlanRequest out;
    out.experiment = file();
    out.overrides = std::move(overrides);
    out.multirun = multirun;
    out.config_path = {fs::path(YATLAB_SOURCE_DIR) / "configs"};
    return out;
  }
  Plan plan(std::vector<std::string> overrides = {}, bool multirun = false) const {
    return make_plan(request(std::move(overrides), multirun));
  }
  RunOutcome run(std::vector<std::string> overrides = {}, RunOptions options = {}) const {
    options.quiet = true;
    return run_plan(plan_run(request(std::move(overrides))), options);
  }

  /// The text of the error that composing throws, with this folder's name replaced by "~".
  std::string error(std::vector<std::string> overrides = {}, bool multirun = false) const {
    try {
      plan(std::move(overrides), multirun);
    } catch (const Error& e) {
      return (e.kind() == ErrorKind::kConfig ? "" : "not a config error: ") + shortened(e.what());
    }
    return "no error";
  }
  std::string shortened(std::string text) const {
    const std::string home = folder_.path().string();
    for (auto at = text.find(home); at != std::string::npos; at = text.find(home)) text.replace(at, home.size(), "~");
    return text;
  }

 private:
  TemporaryFolder folder_;
};

inline std::vector<std::string> directories(const Plan& plan) {
  std::vector<std::string> out;
  for (const auto& job : plan.jobs) out.push_back(job.directory);
  return out;
}

inline nlohmann::ordered_json read_json(const fs::path& path) { return nlohmann::ordered_json::parse(read_file(path)); }

/// Every file below `root` by its relative path. `status.json` holds times, and `heartbeat.json` stays if it could not be removed; these
/// files about the course of the work can be left out.
inline std::map<std::string, std::string> contents_below(const fs::path& root, bool with_status = false) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const auto name = entry.path().filename();
    if (!with_status && (name == "status.json" || name == "heartbeat.json" || name == ".lock")) continue;
    out[fs::relative(entry.path(), root).string()] = read_file(entry.path());
  }
  return out;
}

}  // namespace yatlab::testing
