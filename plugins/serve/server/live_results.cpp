#include "plugins/serve/server/live_results.h"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/library/compare_runs.h"
#include "core/library/run_list.h"
#include "core/library/run_status.h"
#include "core/record/file_stamp.h"
#include "core/record/job_history.h"
#include "core/record/run_folders.h"
#include "core/record/stop_request.h"
#include "core/report/html_parts.h"
#include "core/system/shell.h"
#include "plugins/serve/server/log_columns.h"
#include "plugins/serve/server/run_json.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kMostBytes = 4 << 20;

HttpAnswer json_answer(const Json& json) { return {200, "application/json", dump_json_replacing(json)}; }

std::string value_of(const HttpRequest& request, const char* key) {
  const auto found = request.query.find(key);
  return found == request.query.end() ? std::string() : found->second;
}

/// Whether a relative path stays below the folder that it is appended to.
bool stays_below(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) return false;
  const fs::path parts(path);
  return !parts.is_absolute() &&
         std::none_of(parts.begin(), parts.end(), [](const fs::path& part) { return part == ".." || part == "." || part.empty(); });
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  std::error_code ec;
  const auto whole = fs::canonical(path, ec), above = fs::canonical(folder, ec);
  return !ec && std::mismatch(above.begin(), above.end(), whole.begin(), whole.end()).first == above.end();
}

HttpAnswer rows(const fs::path& run, const HttpRequest& request) {
  const auto job = value_of(request, "job");
  if (!stays_below(job)) throw config_error("there is no such job", "job", {}, "use one that /api/run lists");
  const auto path = history_file(run / job);
  HttpAnswer out{200, "application/x-ndjson", ""};
  std::uintmax_t from = std::strtoull(value_of(request, "from").c_str(), nullptr, 10);
  std::error_code ec;
  const auto size = fs::file_size(path, ec);
  if (ec || !lies_in(path, run)) {  // nothing logged yet
    if (value_of(request, "as") == "columns") out.body = log_columns({});
    out.fields = {{"X-Next", "0"}, {"X-Size", "0"}};
    return out;
  }
  if (from > size) from = 0;  // the job was restarted
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(from));
  out.body.resize(std::min<std::uintmax_t>(kMostBytes, size - from));
  in.read(out.body.data(), static_cast<std::streamsize>(out.body.size()));
  out.body.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  const auto end = out.body.rfind('\n');  // the rest of a partial line comes with the next answer
  out.body.resize(end == std::string::npos ? 0 : end + 1);
  out.fields = {{"X-From", std::to_string(from)}, {"X-Next", std::to_string(from + out.body.size())}, {"X-Size", std::to_string(size)}};
  if (value_of(request, "as") == "columns") {
    out.type = "application/octet-stream";
    out.body = log_columns(out.body);
  }
  return out;
}

/// Splits a filter into words like a shell: quotes keep blanks.
std::vector<std::string> filter_words(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  char quote = 0;
  for (const char c : text + " ") {
    if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? 0 : c;
    } else if (c == ' ' && quote == 0) {
      if (!word.empty()) out.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  if (!trim(word).empty()) out.push_back(trim(word));
  return out;
}

/// Whether files or folders appeared or vanished, except hidden ones: temporary files and the index of runs are hidden.
bool folders_changed(int watched) {
  bool out = false;
  alignas(inotify_event) char bytes[16384];
  for (ssize_t got = 0; watched >= 0 && (got = ::read(watched, bytes, sizeof bytes)) > 0;) {
    for (ssize_t at = 0; at < got;) {
      inotify_event event{};
      std::memcpy(&event, bytes + at, sizeof event);
      out = out || event.len == 0 || bytes[at + static_cast<ssize_t>(sizeof event)] != '.';
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
  return out;
}

/// The last lines of a text file, at most 64 kB.
std::string end_of(const fs::path& path) {
  constexpr std::uintmax_t kMaxEndBytes = 64 << 10;
  std::error_code ec;
  const auto size = fs::file_size(path, ec);
  if (ec) return {};
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(size > kMaxEndBytes ? size - kMaxEndBytes : 0));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  return size > kMaxEndBytes ? text.substr(std::min(text.size(), text.find('\n') + 1)) : text;
}

/// The running jobs, by process id on this machine; 0 for those of other machines.
std::map<std::int64_t, std::vector<std::string>> running_jobs(const fs::path& run) {
  std::map<std::int64_t, std::vector<std::string>> out;
  const auto now = std::time(nullptr);
  for (const auto& job : RunView::planned(run).jobs) {
    if (!stays_below(job.directory)) continue;
    const auto status = read_job_status(run / job.directory);
    if (observed_state(run / job.directory, status, now) != JobState::kRunning) continue;
    out[status.host == host_name() && status.pid > 1 ? status.pid : 0].push_back(job.directory);
  }
  return out;
}

HttpAnswer stop(const fs::path& run, const std::string& job) {
  auto running = running_jobs(run);
  if (!job.empty()) {
    const bool runs = std::any_of(running.begin(), running.end(), [&](const auto& process) {
      return std::find(process.second.begin(), process.second.end(), job) != process.second.end();
    });
    if (runs) request_stop_of(run / job);
    return json_answer({{"asked", runs ? 1 : 0}});
  }
  const auto elsewhere = running[0].size();
  running.erase(0);
  std::size_t asked = 0;
  for (const auto& [pid, jobs] : running) asked += ::kill(static_cast<pid_t>(pid), SIGTERM) == 0;
  return json_answer({{"asked", asked}, {"processes", running.size()}, {"jobs_elsewhere", elsewhere}});
}

constexpr const char* kResumed = "resumed.txt";  // output of a run that was resumed from the page

/// Resumes the run in a session of its own, so that it outlives the server.
HttpAnswer resume(const fs::path& results, const fs::path& run) {
  if (!running_jobs(run).empty()) throw config_error("this run is already in progress", {}, {}, "stop it first");
  const char* script = std::getenv("YATLAB_RUN");  // run.sh, which builds what is missing
  std::vector<std::string> words{"setsid", "--fork", script != nullptr ? script : program_path().string(), "run"};
  for (auto& word : html::words_to_run_again(RunView::planned(run))) words.push_back(std::move(word));
  const bool placed =
      std::any_of(words.begin(), words.end(), [](const auto& w) { return w.substr(w.find_first_not_of('+')).rfind("results=", 0) == 0; });
  std::error_code ec;
  if (!placed && !fs::equivalent(results, "results", ec)) words.push_back("results=" + fs::absolute(results).lexically_normal().string());
  int status = 0;
  ::waitpid(start_process(words, run / kResumed), &status, 0);
  if (status != 0) throw Error(ErrorKind::kJob, "the run could not be started", {}, trim(end_of(run / kResumed)));
  return json_answer({{"started", shell_command(words)}});
}

}  // namespace

LiveResults::LiveResults(fs::path results) : results_(std::move(results)) {}

LiveResults::~LiveResults() {
  if (watched_ >= 0) ::close(watched_);
}

fs::path LiveResults::folder_of(const std::string& run) const {
  const auto slash = run.find('/');
  if (!stays_below(run) || slash == std::string::npos || run.find('/', slash + 1) != std::string::npos ||
      !is_file(results_ / run / "plan.json"))
    throw data_error(fmt::format("there is no run '{}' in {}", visible(shortened(run)), results_.string()), {},
                     "it was moved or removed, or it never existed");
  return results_ / run;
}

RunIndex LiveResults::index() {
  const std::lock_guard<std::mutex> lock(indexing_);
  return RunIndex::open(results_);
}

HttpAnswer LiveResults::answer(const HttpRequest& request) {
  const bool post = request.method == "POST";
  try {
    if (post && request.path == "/api/stop") return stop(folder_of(value_of(request, "run")), value_of(request, "job"));
    if (post && request.path == "/api/resume") return resume(results_, folder_of(value_of(request, "run")));
    if (post) return {405, "text/plain", "POST is only allowed for /api/stop and /api/resume\n"};
    if (request.path == "/") return {200, "text/html; charset=utf-8", std::string(served::kPage)};
    if (request.path == "/page.css") return {200, "text/css; charset=utf-8", html::page_style()};
    if (request.path == "/page.js")
      return {200, "text/javascript; charset=utf-8", std::string(html::kShared) + std::string(served::kScript)};
    if (request.path == "/api/runs") {
      const auto index = this->index();
      return json_answer({{"results", fs::absolute(results_).lexically_normal().string()},
                          {"all", index.runs().size()},
                          {"runs", runs_json(find_runs(index, filter_words(value_of(request, "filter"))))}});
    }
    if (request.path == "/api/run") return json_answer(run_json(folder_of(value_of(request, "run")), std::time(nullptr)));
    if (request.path == "/api/status")
      return json_answer(status_json(read_run_now(folder_of(value_of(request, "run")), std::time(nullptr))));
    if (request.path == "/api/figure") {
      const std::lock_guard<std::mutex> lock(drawing_);
      return json_answer(figure_json(folder_of(value_of(request, "run")), value_of(request, "id")));
    }
    if (request.path == "/api/log") {
      const auto run = folder_of(value_of(request, "run"));
      return json_answer({{"log", end_of(run / "log.txt")}, {"resumed", end_of(run / kResumed)}});
    }
    if (request.path == "/api/rows") return rows(folder_of(value_of(request, "run")), request);
    if (request.path == "/api/compare") {
      const auto comparison = compare_runs(folder_of(value_of(request, "a")), folder_of(value_of(request, "b")), false);
      return json_answer(comparison_json(comparison, false));
    }
  } catch (const Error& e) {
    const unsigned status = e.kind() == ErrorKind::kConfig ? 400 : e.kind() == ErrorKind::kData ? 404 : 500;
    return {status, "application/json", dump_json_replacing(Json{{"error", e.message()}, {"why", e.why()}, {"hint", e.hint()}})};
  }
  return {404, "text/plain", "not found\n"};
}

void LiveResults::watch() {
  if (watched_ >= 0) ::close(watched_);
  watched_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (watched_ < 0) return;
  const std::uint32_t what = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR;
  const auto add = [&](const fs::path& folder) { ::inotify_add_watch(watched_, folder.c_str(), what); };
  add(results_);
  std::error_code ec;
  for (fs::directory_iterator it(results_, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->path().filename().string()[0] != '.') add(it->path());
  }
  for (const auto& run : run_folders(results_)) add(run.path);  // a command that resumes it makes files there
}

void LiveResults::begin() {
  const std::lock_guard<std::mutex> lock(mutex_);
  watch();
  const auto index = this->index();
  std::map<std::string, RunInProgress> in_progress;
  for (const auto& run : index.runs()) {
    const auto is = [&](JobState state) { return run.states.count(state) > 0 && run.states.at(state) > 0; };
    // A run that has just begun or resumed has no running job yet.
    std::error_code ec;
    const bool touched = fs::file_time_type::clock::now() - fs::last_write_time(run.path, ec) < std::chrono::hours(1) && !ec;
    if (!is(JobState::kRunning) && !is(JobState::kSubmitted) && !(touched && run.finished() < run.jobs())) continue;
    if (const auto known = in_progress_.find(run.name()); known != in_progress_.end()) {
      in_progress.insert(std::move(*known));
      continue;
    }
    try {
      auto plan = RunView::planned(run.path);
      const auto jobs = plan.jobs.size();
      in_progress.insert({run.name(), {std::move(plan), std::vector<JobInProgress>(jobs)}});
    } catch (const Error&) {  // it is vanishing, or partly written
    }
  }
  in_progress_ = std::move(in_progress);
}

namespace {

/// The whole lines in bytes `from` to `to` of a file.
std::string lines_between(const fs::path& path, std::uintmax_t from, std::uintmax_t to) {
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(from));
  std::string out(to - from, '\0');
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  const auto end = out.rfind('\n');
  out.resize(end == std::string::npos ? 0 : end + 1);
  return out;
}

/// Adds the size of a job's metrics.jsonl, and its new rows if they are few. `lines`: how far rows were seen.
void add_rows(const fs::path& run, const fs::path& path, std::optional<std::uintmax_t>& lines, Json& item) {
  constexpr std::uintmax_t kMaxRowBytes = 4096;
  std::error_code ec;
  const auto size = fs::file_size(path, ec);
  if (ec) return;
  item["bytes"] = size;
  if (size == lines || !lies_in(path, run)) return;
  const bool few = lines && *lines < size && size - *lines <= kMaxRowBytes;
  const auto from = few ? *lines : size > kMaxRowBytes ? size - kMaxRowBytes : 0;
  auto text = lines_between(path, from, size);
  lines = from + text.size();
  if (!few || text.empty()) return;
  item["from"] = from;
  item["next"] = *lines;
  item["rows"] = std::move(text);
}

/// What changed of a job's item: the page keeps the rest.
Json changed(const Json& sent, const Json& now) {
  Json out;
  for (const auto& [key, value] : now.items()) {
    const bool always = key == "job" || key == "state" || key == "left_s" || key == "what" || key == "error";
    if (always || !sent.contains(key) || sent[key] != value) out[key] = value;
  }
  return out;
}

}  // namespace

std::string LiveResults::changes_of(const std::string& name, const fs::path& run, RunInProgress& in_progress) {
  const auto now = std::time(nullptr);
  Json items = Json::array();
  for (std::size_t i = 0; i < in_progress.jobs.size(); ++i) {
    auto& job = in_progress.jobs[i];
    const auto& planned = in_progress.plan.jobs[i];
    if (is_over(job.state)) continue;
    FileStamp stamp;
    const auto add = [&](const std::string& folder) {
      for (const char* name : {"status.json", "heartbeat.json"}) stamp.add((run / folder / name).string());
    };
    add(planned.directory);
    for (const auto& analysis : planned.analyses) add(analysis.directory);
    // A running job is read in any case: it may have ended without a sign.
    if (stamp.value() == job.stamp && job.state != JobState::kRunning) continue;
    const auto seen = read_job_now(run, planned, now);
    job.stamp = stamp.value();
    job.state = seen.state;
    auto item = status_json(seen);
    if (const auto left = seen.left()) item["left_s"] = std::round(*left);
    if (seen.heartbeat && !seen.heartbeat->what.empty()) item["what"] = seen.heartbeat->what;
    add_rows(run, history_file(run / planned.directory), job.lines, item);
    if (job.sent && item == *job.sent) continue;
    items.push_back(changed(job.sent ? *job.sent : Json(), item));
    for (const char* key : {"from", "next", "rows"}) item.erase(key);
    job.sent = std::make_shared<const Json>(std::move(item));
  }
  return items.empty() ? std::string() : dump_json_replacing(Json{{"run", name}, {"jobs", std::move(items)}});
}

std::vector<std::string> LiveResults::changes() {
  std::vector<std::string> out;
  bool folders = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    folders = folders_changed(watched_);
  }
  if (folders) {
    begin();
    out.push_back(dump_json(Json{{"runs", true}}));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = in_progress_.begin(); it != in_progress_.end();) {
    try {
      if (auto text = changes_of(it->first, results_ / it->first, it->second); !text.empty()) out.push_back(std::move(text));
      ++it;
    } catch (const Error&) {  // its folder is gone, or unreadable now
      it = is_folder(results_ / it->first) ? std::next(it) : in_progress_.erase(it);
    }
  }
  return out;
}

}  // namespace yatlab
