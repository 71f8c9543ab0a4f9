#include "core/runs/slurm_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/base/error.h"
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

/// "State=VALUE" of scontrol's one line for a job.
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

std::string SlurmArray::name() const { return fmt::format("yatlab-{}-{}", folder.parent_path().parent_path().filename().string(), number); }

std::vector<SlurmArray> slurm_arrays(const fs::path& run) {
  std::vector<SlurmArray> out;
  std::error_code ec;
  if (!fs::is_directory(run / "slurm", ec)) return out;
  for (const auto& folder : entries_of(run / "slurm")) {
    const auto name = folder.filename().string();
    if (name.empty() || name.size() > 6 || !std::all_of(name.begin(), name.end(), is_digit) || !fs::exists(folder / "jobs.txt", ec))
      continue;
    SlurmArray array{std::atoi(name.c_str()), folder, {}, lines_of(folder / "jobs.txt")};
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

std::optional<std::map<std::string, SlurmTask>> slurm_tasks(const std::vector<SlurmArray>& arrays) {
  std::map<std::string, SlurmTask> out;
  if (arrays.empty()) return out;
  std::vector<std::string> names;
  for (const auto& array : arrays) names.push_back(array.name());
  ProcessResult answer;
  try {
    answer = run_process({"squeue", "--noheader", "--array", "--states=all", "--name=" + join(names, ","), "--format=%i|%T|%N|%j|%r"});
  } catch (const Error&) {
    return std::nullopt;
  }
  if (answer.status != 0) return std::nullopt;
  std::map<std::string, std::map<std::size_t, SlurmTask>> by_name;
  for (const auto& line : split(answer.output, '\n')) {
    const auto parts = split(trim(line), '|');
    if (parts.size() < 5) continue;
    const auto underscore = parts[0].find('_');
    if (underscore == std::string::npos || underscore + 1 == parts[0].size() || !is_digit(parts[0][underscore + 1])) continue;
    const auto index = static_cast<std::size_t>(std::strtoull(parts[0].c_str() + underscore + 1, nullptr, 10));
    by_name[parts[3]][index] = {parts[0], parts[1], parts[4] == "None" ? "" : parts[4], parts[2]};
  }
  for (const auto& array : arrays) {
    const auto found = by_name.find(array.name());
    for (std::size_t i = 0; i < array.jobs.size(); ++i) {
      out.erase(array.jobs[i]);  // what an earlier submission came to is history
      if (found == by_name.end()) continue;
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
    const auto parts = split(trim(remembered.output), '|');
    if (remembered.status == 0 && parts.size() == 3) {
      out.state = parts[0].substr(0, parts[0].find(' '));  // "CANCELLED by 1000"
      read_exit(parts[1], out);
      out.node = parts[2];
    }
  } catch (const Error&) {  // neither is here
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
  constexpr std::size_t kAtOnce = 500;  // words of a command
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
