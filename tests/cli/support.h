#pragma once

#include <atomic>
#include <fstream>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/process.h"
#include "core/base/files.h"
#include "core/base/process.h"
#include "differences.h"
#include "holds.h"
#include "quick_starts/quick_starts.h"
#include "temporary_folder.h"

namespace yatlab::testing {

struct Answer {
  int status = -1;
  std::string output;
};

/// A folder with the project's configs, an experiment, and no data nearby.
class Desk {
 public:
  explicit Desk(const std::string& experiment = {}) {
    fs::create_directory(path());
    fs::create_directory_symlink(fs::path(YATLAB_SOURCE_DIR) / "configs", path() / "configs");
    if (!experiment.empty()) std::ofstream(path() / "tiny.yaml") << experiment;
  }
  /// One folder below the temporary one, so that "../shared/data" is also inside it.
  fs::path path() const { return folder_.path() / "desk"; }
  fs::path run() const { return path() / "results/tiny/latest"; }

  Answer ask(const std::vector<std::string>& arguments) const { return ask_in(path(), arguments); }
  /// The same, from another working directory.
  Answer ask_in(const fs::path& directory, const std::vector<std::string>& arguments) const {
    const fs::path output = path() / "output.txt";
    auto variables = environment();
    variables.merge(quick_starts().variables());
    Process process(arguments, directory, output, variables);
    Answer out;
    out.status = process.wait();
    out.output = read_file(output);
    return out;
  }
  /// Runs a shell line that finds `yatlab`, in this folder.
  Answer ask_shell(const std::string& line) const {
    const std::string paths =
        "PATH='" + fs::path(program()).parent_path().string() + "':\"$PATH\"; unset YATLAB_DATA; " + quick_starts().exports();
    const auto result = run_process({"bash", "-c", paths + line}, path());
    return {result.status, result.output};
  }
  /// Runs several lines concurrently; they must not interfere with each other.
  std::vector<Answer> ask_shells(const std::vector<std::string>& lines) const {
    std::vector<Answer> out(lines.size());
    std::atomic<std::size_t> next{0};
    std::vector<std::future<void>> workers;
    for (unsigned i = 0; i < std::max(2u, std::thread::hardware_concurrency()); ++i) {
      workers.push_back(std::async(std::launch::async, [&] {
        for (std::size_t at = next++; at < lines.size(); at = next++) out[at] = ask_shell(lines[at]);
      }));
    }
    for (auto& worker : workers) worker.get();
    return out;
  }
  std::map<std::string, std::string> environment() const { return {{"YATLAB_DATA", ""}}; }

 private:
  TemporaryFolder folder_;
};

/// Every file of a run's jobs except status.json (which holds times), by relative path. Only the newest checkpoint
/// is included, since the one before depends on where a run was interrupted.
inline std::map<std::string, std::string> job_files(const fs::path& run, bool with_status = false) {
  std::map<std::string, std::string> out;
  const fs::path jobs = fs::canonical(run) / "jobs";
  for (const auto& entry : fs::recursive_directory_iterator(jobs)) {
    if (!entry.is_regular_file() || (!with_status && entry.path().filename() == "status.json")) continue;
    out[fs::relative(entry.path(), jobs).string()] = read_file(entry.path());
  }
  return out;
}

}  // namespace yatlab::testing
