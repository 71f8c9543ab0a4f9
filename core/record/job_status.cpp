#include "core/record/job_status.h"

#include <sys/types.h>

#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_number.h"
#include "core/base/json_text.h"
#include "core/base/manifest.h"
#include "core/base/process.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr JobState kStates[] = {JobState::kPlanned,   JobState::kSubmitted,   JobState::kRunning,
                                JobState::kPreempted, JobState::kInterrupted, JobState::kCompleted,
                                JobState::kDiverged,  JobState::kFailed,      JobState::kPruned};
constexpr std::int64_t kSilence = 60;  // seconds

/// The file's text; nullopt if there is none. A folder of that name counts as a damaged file.
std::optional<std::string> text_in(const fs::path& path) {
  try {
    return read_file(path);
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kFile) throw;
    return is_there(path) ? std::optional<std::string>("") : std::nullopt;
  }
}

std::int64_t count_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

}  // namespace

const char* to_string(JobState state) {
  switch (state) {
    case JobState::kPlanned:
      return "planned";
    case JobState::kSubmitted:
      return "submitted";
    case JobState::kRunning:
      return "running";
    case JobState::kPreempted:
      return "preempted";
    case JobState::kInterrupted:
      return "interrupted";
    case JobState::kCompleted:
      return "completed";
    case JobState::kDiverged:
      return "diverged";
    case JobState::kFailed:
      return "failed";
    case JobState::kPruned:
      return "pruned";
  }
  return "?";
}

std::optional<JobState> job_state(const std::string& name) {
  for (const auto state : kStates) {
    if (name == to_string(state)) return state;
  }
  return std::nullopt;
}

bool is_finished(JobState state) { return state == JobState::kCompleted || state == JobState::kDiverged; }

bool is_over(JobState state) { return is_finished(state) || state == JobState::kFailed || state == JobState::kPruned; }

JobStatus read_job_status(const fs::path& directory) {
  JobStatus out;
  const auto text = text_in(directory / "status.json");
  if (!text) return out;
  const auto whole = unsealed(*text);
  out.intact = whole.has_value();
  const Json json = whole ? *whole : parse_ordered_json(*text, false);
  out.readable = json.is_object();
  if (!out.readable) return out;
  out.state = job_state(text_in(json, "state")).value_or(JobState::kPlanned);
  out.attempt = count_in(json, "attempt");
  out.host = text_in(json, "host");
  // A number that is not a process id of this machine could select another process, or all (-1).
  if (const auto pid = count_in(json, "pid"); pid <= std::numeric_limits<pid_t>::max()) out.pid = pid;
  out.batch_job = text_in(json, "batch_job");
  out.submitted = text_in(json, "submitted");
  out.started = text_in(json, "started");
  out.finished = text_in(json, "finished");
  out.error = text_in(json, "error");
  out.dataset_sha256 = text_in(json, "dataset_sha256");
  if (const auto wall = json.find("wall_s"); wall != json.end() && wall->is_number()) out.wall_s = wall->get<double>();
  if (const auto rates = json.find("performance"); rates != json.end() && rates->is_object()) {
    for (const auto& [name, value] : rates->items()) {
      if (const auto number = number_in(value)) out.performance[name] = *number;
    }
  }
  return out;
}

void write_job_status(const fs::path& directory, const JobStatus& status, Durable durable) {
  Json json{{"state", to_string(status.state)}};
  const auto word = [&](const char* key, const std::string& value) {
    if (!value.empty()) json[key] = value;
  };
  if (status.attempt > 0) json["attempt"] = status.attempt;
  word("host", status.host);
  if (status.pid > 0) json["pid"] = status.pid;
  word("batch_job", status.batch_job);
  word("submitted", status.submitted);
  word("started", status.started);
  word("dataset_sha256", status.dataset_sha256);
  word("finished", status.finished);
  if (!status.finished.empty()) json["wall_s"] = status.wall_s;
  for (const auto& [name, value] : status.performance) json["performance"][name] = json_number(value);
  word("error", status.error);
  (durable == Durable::kYes ? write_file_atomic : write_file_unsynced)(directory / "status.json", sealed(json));
}

JobState recorded_state(const fs::path& directory) {
  const auto status = read_job_status(directory);
  return status.intact ? status.state : JobState::kPlanned;
}

std::optional<Heartbeat> read_heartbeat(const fs::path& directory) {
  const auto text = text_in(directory / "heartbeat.json");
  if (!text) return std::nullopt;
  const auto json = parse_ordered_json(*text, false);
  if (!json.is_object()) return std::nullopt;
  Heartbeat out;
  out.at = count_in(json, "at");
  out.step = count_in(json, "step");
  out.total_steps = count_in(json, "total_steps");
  if (const auto rate = json.find("per_second"); rate != json.end() && rate->is_number()) out.per_second = rate->get<double>();
  out.what = text_in(json, "what");
  return out;
}

void write_heartbeat(const fs::path& directory, const Heartbeat& heartbeat) {
  Json json{{"at", heartbeat.at}, {"step", heartbeat.step}, {"total_steps", heartbeat.total_steps}, {"per_second", heartbeat.per_second}};
  if (!heartbeat.what.empty()) json["what"] = heartbeat.what;
  write_file_unsynced(directory / "heartbeat.json", dump_json(json) + "\n");
}

JobState observed_state(const fs::path& directory, const JobStatus& status, std::int64_t now) {
  if (status.state != JobState::kRunning) return status.state;
  if (status.pid > 0 && status.host == host_name() && is_gone(static_cast<pid_t>(status.pid))) {
    return JobState::kInterrupted;
  }
  const auto heartbeat = read_heartbeat(directory);
  return heartbeat && now - heartbeat->at <= kSilence ? JobState::kRunning : JobState::kInterrupted;
}

std::string utc_text(std::int64_t seconds_since_1970) {
  const std::time_t time = seconds_since_1970;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace yatlab
