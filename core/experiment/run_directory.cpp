#include "core/experiment/run_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file_lock.h"
#include "core/base/files.h"
#include "core/config/yaml.h"
#include "core/experiment/job.h"

namespace yatlab {
namespace {

std::string local_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d_%H-%M-%S", &parts);
  return text;
}

nlohmann::json read_plan(const fs::path& run) {
  try {
    return nlohmann::json::parse(read_file(run / "plan.json"));
  } catch (const std::exception&) {
    return {};  // not a run, or one that never began
  }
}

/// Runs of an experiment, newest first.
std::vector<fs::path> runs_below(const fs::path& root) {
  std::vector<fs::path> out;
  std::error_code ec;
  for (const auto& path : entries_of(root)) {
    if (fs::is_directory(fs::symlink_status(path, ec)) && fs::exists(path / "plan.json", ec)) out.push_back(path);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

/// What a run directory must hold before any job runs. plan.json comes last: without it the folder
/// is no run.
void write_plan(const Plan& plan, const fs::path& run) {
  write_file_atomic(run / "config.yaml", emit_yaml(plan.experiment));
  Node overrides = Node::list();
  for (const auto& text : plan.overrides) overrides.push_back(text);
  write_file_atomic(run / "overrides.yaml", emit_yaml(overrides));
  write_file_atomic(run / "plan.json", plan.to_json(run.filename().string()));
}

}  // namespace

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

RunLock::~RunLock() {
  if (fd_ >= 0) ::close(fd_);
}

RunLock RunLock::take(const fs::path& directory) {
  RunLock lock;
  const fs::path file = directory / ".lock";
  lock.fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock.fd_ < 0) throw Error(ErrorKind::kJob, fmt::format("cannot lock '{}'", directory.string()), {}, std::strerror(errno));
  if (!try_lock(lock.fd_)) {
    throw config_error("this run is already going on", directory.string(), "another process holds its lock",
                       "wait for it, or start a second run with --fresh");
  }
  return lock;
}

RunDirectory open_run_directory(const Plan& plan, bool fresh) {
  const Node& results = plan.experiment.at("results");
  const fs::path root = fs::path(results.as_string()) / plan.name;
  const auto origin = results.origin().describe();
  require_writable_folder(root, origin.empty() ? "results" : "results, " + origin,
                          "make room there, or have results elsewhere: results=FOLDER");
  RunDirectory out;
  if (!fresh) {
    for (const auto& run : runs_below(root)) {
      const auto json = read_plan(run);
      if (json.is_object() && json.value("hash", "") == plan.hash) {
        out.path = run;
        out.resumed = true;
        break;
      }
    }
  }
  if (out.resumed) {
    out.lock = RunLock::take(out.path);
  } else {
    // mkdir fails when two runs start in the same second: each then takes the next free name.
    const std::string base = local_stamp() + "-" + plan.hash.substr(0, 6);
    for (int i = 0;; ++i) {
      out.path = root / (i == 0 ? base : fmt::format("{}-{}", base, i + 1));
      if (make_folder(out.path)) break;
    }
    out.lock = RunLock::take(out.path);
  }
  try {
    write_plan(plan, out.path);  // tables, figures and captions may have changed since
    replace_symlink(out.path.filename(), root / "latest");
  } catch (const Error&) {
    std::error_code ignored;
    if (!out.resumed) fs::remove_all(out.path, ignored);  // half a run is none
    throw;
  }
  return out;
}

std::size_t adopt_finished_jobs(const Plan& plan, const fs::path& run) {
  // Job hash and folder -> where it lies finished. The folder counts, since a job's files name its
  // arm and point.
  std::map<std::pair<std::string, std::string>, fs::path> finished;
  for (const auto& other : runs_below(run.parent_path())) {
    if (other == run) continue;
    const auto json = read_plan(other);
    if (!json.is_object() || !json.contains("jobs")) continue;
    for (const auto& job : json.at("jobs")) {
      const std::string directory = job.value("dir", "");
      const auto state = recorded_state(other / directory);
      if (state != JobState::kCompleted && state != JobState::kDiverged) continue;
      finished.emplace(std::pair(job.value("hash", ""), directory), other / directory);
    }
  }
  std::size_t adopted = 0;
  for (const auto& job : plan.jobs) {
    const fs::path target = run / job.directory;
    const auto it = finished.find({job.hash, job.directory});
    std::error_code ec;
    if (it == finished.end() || fs::exists(target, ec)) continue;
    make_folders(target.parent_path());
    const fs::path temporary = target.string() + ".tmp";
    remove_tree(temporary);
    copy_tree(it->second, temporary);
    rename_path(temporary, target);
    ++adopted;
  }
  return adopted;
}

}  // namespace yatlab
