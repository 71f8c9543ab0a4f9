#include "core/system/slurm_queue.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace yatlab {
namespace {

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> out;
  for (auto& line : split(read_file(file), '\n')) {
    if (!line.empty()) out.push_back(std::move(line));
  }
  return out;
}

bool among(const std::string& state, std::initializer_list<const char*> states) {
  return std::any_of(states.begin(), states.end(), [&](const char* one) { return state == one; });
}

/// "State=VALUE" in scontrol's single line for a job.
std::string field_of(const std::string& line, const std::string& key) {
  const auto at = line.find(" " + key + "=");
  if (at == std::string::npos) return {};
  const auto begin = at + key.size() + 2;
  return line.substr(begin, line.find_first_of(" \n", begin) - begin);
}

/// "0:9" -> the task's exit code and signal.
void read_exit(const std::string& text, SlurmTask& task) {
  char* end = nullptr;
  task.exit_code = static_cast<int>(std::strtol(text.c_str(), &end, 10));
  if (*end == ':') task.signal = static_cast<int>(std::strtol(end + 1, nullptr, 10));
}

}  // namespace

std::string SlurmArray::task(std::size_t index) const { return id.empty() ? "" : fmt::format("{}_{}", id, index); }

std::string new_slurm_name(const fs::path& folder) {
  constexpr std::size_t kLongest = 120;
  auto run = fs::absolute(folder).parent_path().parent_path().filename().string().substr(0, kLongest);
  for (char& c : run) {
    const bool plain =
        is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || std::string_view("._=+-").find(c) != std::string_view::npos;
    if (!plain) c = '_';
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const auto unique = sha256(fmt::format("{} {} {} {}", fs::absolute(folder).string(), host_name(), ::getpid(), now));
  return fmt::format("yatlab-{}-{}-{}", run, folder.filename().string(), unique.substr(0, 8));
}

std::vector<std::string> slurm_command(std::vector<std::string> words) {
  std::vector<std::string> out = {"env"};
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view variable = *entry;
    const auto name = variable.substr(0, variable.find('='));
    if (name.rfind("SQUEUE_", 0) == 0 || name == "SBATCH_WAIT") out.insert(out.end(), {"-u", std::string(name)});
  }
  out.insert(out.end(), words.begin(), words.end());
  return out;
}

std::vector<SlurmArray> slurm_arrays(const fs::path& run) {
  std::vector<SlurmArray> out;
  std::error_code ec;
  if (!fs::is_directory(run / "slurm", ec)) return out;
  for (const auto& folder : entries_of(run / "slurm")) {
    const auto name = folder.filename().string();
    if (name.empty() || name.size() > 6 || !std::all_of(name.begin(), name.end(), is_digit) || !fs::exists(folder / "jobs.txt", ec))
      continue;
    SlurmArray array{std::atoi(name.c_str()), folder, {}, {}, lines_of(folder / "jobs.txt")};
    if (fs::exists(folder / "name", ec)) array.name = trim(read_file(folder / "name"));
    if (fs::exists(folder / "id", ec)) array.id = trim(read_file(folder / "id"));
    out.push_back(std::move(array));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return out;
}

bool SlurmTask::runs() const {
  return among(state, {"RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT"});
}
bool SlurmTask::waits() const {
  return among(state, {"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD", "RESIZING"});
}

bool SlurmTask::held() const {
  if (!waits()) return false;
  if (among(state, {"REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"}) || lower(reason).find("held") != std::string::npos) return true;
  return among(reason, {"JobHoldMaxRequeue", "BadConstraints", "DependencyNeverSatisfied", "PartitionTimeLimit", "PartitionNodeLimit"}) ||
         reason.find("PerJobLimit") != std::string::npos;  // limits of an account or a quality of service
}

std::optional<std::map<std::string, SlurmTask>> slurm_tasks(const std::vector<SlurmArray>& arrays) {
  constexpr std::size_t kAtOnce = 200;                               // maximum names per argument
  std::map<std::string, std::map<std::size_t, SlurmTask>> by_array;  // by id, and by name, since the id may be unknown
  for (std::size_t begin = 0; begin < arrays.size(); begin += kAtOnce) {
    std::vector<std::string> names;
    for (std::size_t i = begin; i < std::min(arrays.size(), begin + kAtOnce); ++i) {
      if (!arrays[i].name.empty()) names.push_back(arrays[i].name);
    }
    if (names.empty()) continue;
    ProcessResult answer;
    try {
      answer = run_process(
          slurm_command({"squeue", "--noheader", "--array", "--states=all", "--name=" + join(names, ","), "--format=%i|%T|%N|%j|%r"}));
    } catch (const Error&) {
      return std::nullopt;
    }
    if (answer.status != 0) return std::nullopt;
    for (const auto& line : split(answer.output, '\n')) {
      const auto parts = split(trim(line), '|');
      if (parts.size() < 5) continue;
      const auto underscore = parts[0].find('_');
      if (underscore == std::string::npos || underscore + 1 == parts[0].size() || !is_digit(parts[0][underscore + 1])) continue;
      const auto index = static_cast<std::size_t>(std::strtoull(parts[0].c_str() + underscore + 1, nullptr, 10));
      const SlurmTask task{parts[0], parts[1], parts[4] == "None" ? "" : parts[4], parts[2]};
      by_array[parts[0].substr(0, underscore)][index] = task;
      by_array[parts[3]][index] = task;
    }
  }
  std::map<std::string, SlurmTask> out;
  for (const auto& array : arrays) {
    const auto found = by_array.find(array.id.empty() ? array.name : array.id);
    for (std::size_t i = 0; i < array.jobs.size(); ++i) {
      out.erase(array.jobs[i]);  // only the last submission counts
      if (found == by_array.end()) continue;
      const auto task = found->second.find(i);
      if (task != found->second.end()) out[array.jobs[i]] = task->second;
    }
  }
  return out;
}

SlurmTask task_that_ended(const std::string& id) {
  SlurmTask out;
  out.id = id;
  try {
    if (const auto shown = run_process({"scontrol", "--oneliner", "show", "job", id}); shown.status == 0) {
      out.state = field_of(shown.output, "JobState");
      out.reason = field_of(shown.output, "Reason");
      out.node = field_of(shown.output, "NodeList");
      read_exit(field_of(shown.output, "ExitCode"), out);
      if (!out.state.empty()) return out;
    }
    const auto remembered =
        run_process({"sacct", "--noheader", "--parsable2", "--allocations", "--jobs=" + id, "--format=State,ExitCode,NodeList"});
    if (remembered.status != 0) return out;
    for (const auto& line : split(remembered.output, '\n')) {
      const auto parts = split(trim(line), '|');
      if (parts.size() != 3) continue;                     // a warning
      out.state = parts[0].substr(0, parts[0].find(' '));  // from "CANCELLED by 1000"
      read_exit(parts[1], out);
      out.node = parts[2];
    }
  } catch (const Error&) {  // neither program is installed
  }
  return out;
}

std::string slurm_task_here() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  const auto array = variable("SLURM_ARRAY_JOB_ID"), task = variable("SLURM_ARRAY_TASK_ID");
  return array.empty() || task.empty() ? variable("SLURM_JOB_ID") : array + "_" + task;
}

void cancel_slurm_tasks(const std::vector<std::string>& ids, const std::string& signal) {
  constexpr std::size_t kAtOnce = 500;  // maximum words per command
  for (std::size_t begin = 0; begin < ids.size(); begin += kAtOnce) {
    std::vector<std::string> command = {"scancel", "--quiet"};
    if (!signal.empty()) command.insert(command.end(), {"--batch", "--signal=" + signal});
    const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), begin + kAtOnce));
    command.insert(command.end(), ids.begin() + static_cast<std::ptrdiff_t>(begin), end);
    const auto answer = run_process(command);
    if (answer.status != 0) throw Error(ErrorKind::kJob, "scancel failed", {}, trim(answer.output));
  }
}

}  // namespace yatlab
