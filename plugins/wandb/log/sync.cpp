#include "plugins/wandb/log/sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"

namespace yatlab::wandb {
namespace {

using State = RunUpload::State;

/// The log in a run folder; empty when it is not a run folder.
fs::path log_in(const fs::path& folder) {
  if (folder.filename().string().rfind("offline-run-", 0) != 0) return {};
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const auto name = entry.path().filename().string();
    if (name.rfind("run-", 0) == 0 && entry.path().extension() == ".wandb") return entry.path();
  }
  return {};
}

std::vector<fs::path> logs_below(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.is_symlink(none) || !entry.is_directory(none)) continue;
    if (auto log = log_in(entry.path()); !log.empty()) out.push_back(std::move(log));
  }
  return out;
}

std::string count(std::int64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

constexpr std::size_t kOpenAtOnce = 48;

/// One log being uploaded.
struct Task {
  fs::path log;
  std::unique_ptr<RunUpload> run;
  State state = State::kWaiting;
  bool over = false;
};

/// Uploads several logs to one server.
class Syncing {
 public:
  Syncing(const std::vector<fs::path>& logs, const Settings& settings, const SyncOptions& options)
      : logs_(logs),
        settings_(settings),
        options_(options),
        upload_(upload_options(options)),
        api_(settings, upload_.retry_seconds, upload_.longest_retry) {}

  SyncOutcome run() {
    while (!stopped() && (next_ < logs_.size() || !tasks_.empty())) {
      begin_tasks();
      for (auto& task : tasks_) {
        if (task.over || !task.run->due(steady_now())) continue;
        task.state = task.run->step(api_, steady_now(), true);
        task.over = task.state != State::kWaiting;
      }
      while (!tasks_.empty() && tasks_.front().over) {
        tell(tasks_.front());
        tasks_.pop_front();
      }
      if (api_.failures() > 0 && std::max(api_.ready_at(), steady_now()) - api_.answered_at() > options_.patience) {
        give_up();
        return out_;
      }
      if (!tasks_.empty()) api_.run(0.05);
    }
    for (auto& task : tasks_) {  // interrupted
      if (task.over) tell(task);
    }
    return out_;
  }

 private:
  static UploadOptions upload_options(const SyncOptions& options) {
    auto out = options.upload;
    out.again = options.again;
    out.file_patience = std::min(out.file_patience, options.patience);
    return out;
  }

  bool stopped() const { return options_.stop && options_.stop(); }
  bool is_done(const fs::path& log) const { return !options_.again && fs::exists(log.string() + ".synced"); }
  void say(const std::string& text) const {
    if (options_.say) options_.say(settings_.key ? settings_.key->redact(text) : text);
  }

  void begin_tasks() {
    while (next_ < logs_.size() && tasks_.size() < kOpenAtOnce) {
      const auto& log = logs_[next_++];
      if (is_done(log)) {
        ++out_.done_before;
        continue;
      }
      Task task;
      task.log = log;
      task.over = is_being_written(log);
      if (!task.over) task.run = std::make_unique<RunUpload>(log, settings_, upload_);
      tasks_.push_back(std::move(task));
    }
  }

  /// Reports and counts the outcome of a log.
  void tell(Task& task) {
    const auto name = task.log.parent_path().filename().string();
    if (!task.run) {
      say(fmt::format("{}: still being written; skipped", name));
      ++out_.skipped;
      return;
    }
    auto& run = *task.run;
    for (const auto& notice : run.take_notices()) say(fmt::format("{}: {}", name, notice));
    auto sent = fmt::format("{}, {}", count(run.rows_sent(), "row"), count(run.files_sent(), "file"));
    if (run.artifacts_sent() > 0) sent += ", " + count(run.artifacts_sent(), "artifact");
    if (run.refused() > 0) sent += fmt::format(", {} refused", run.refused());
    const auto& a = run.address();
    if (task.state == State::kUploaded) {
      ++out_.uploaded;
      say(fmt::format("{}: {} -> {}", name, sent, settings_.page(a.entity, a.project, a.id)));
    } else if (task.state == State::kUnended) {
      ++out_.unended;
      say(fmt::format("{}: {} -> {}\n  its log has no end{}: marked as failed there; sync it again if the run continues", name, sent,
                      settings_.page(a.entity, a.project, a.id), run.cut() ? " (it is truncated inside a record)" : ""));
    } else if (task.state == State::kBusy) {
      ++out_.skipped;
      say(fmt::format("{}: being uploaded by another process; skipped", name));
    } else {
      ++out_.failed;
      say(fmt::format("{}: {}: {}", name, run.connected() ? "not all uploaded" : "not uploaded", run.problem()));
    }
  }

  /// The server is unreachable: the remaining logs would fail too.
  void give_up() {
    bool reported = false;
    for (auto& task : tasks_) {
      if (task.over) {
        tell(task);
        continue;
      }
      ++out_.failed;
      if (std::exchange(reported, true)) continue;
      say(fmt::format("{}: not uploaded: {}\n  run the same command again to continue", task.log.parent_path().filename().string(),
                      api_.last_failure()));
    }
    for (; next_ < logs_.size(); ++next_) ++(is_done(logs_[next_]) ? out_.done_before : out_.failed);
  }

  const std::vector<fs::path>& logs_;
  const Settings& settings_;
  const SyncOptions& options_;
  const UploadOptions upload_;
  Api api_;
  std::deque<Task> tasks_;  // started tasks; finished ones wait for the output of earlier ones
  std::size_t next_ = 0;
  SyncOutcome out_;
};

}  // namespace

std::vector<fs::path> find_logs(const std::vector<fs::path>& words) {
  std::vector<fs::path> out;
  for (const auto& word : words) {
    std::vector<fs::path> found;
    std::error_code ec;
    const auto target = fs::is_symlink(word, ec) ? fs::canonical(word, ec) : word;  // latest-run
    if (target.extension() == ".wandb" && fs::is_regular_file(target)) {
      found = {target};
    } else if (auto log = log_in(fs::absolute(target / ".").parent_path()); !log.empty()) {
      found = {log};
    } else {
      found = logs_below(target);
      for (const char* name : {"wandb", ".wandb"}) {
        if (found.empty()) found = logs_below(target / name);
      }
    }
    if (found.empty()) {
      throw config_error(fmt::format("'{}' contains no W&B run", word.string()), "command line",
                         fs::exists(target) ? "it contains no folder offline-run-..." : "there is no such file or folder",
                         "name a folder wandb/, or a run folder in it");
    }
    out.insert(out.end(), found.begin(), found.end());
  }
  // Folder names begin with the time of the start.
  std::sort(out.begin(), out.end(), [](const fs::path& a, const fs::path& b) {
    return a.parent_path().filename() != b.parent_path().filename() ? a.parent_path().filename() < b.parent_path().filename() : a < b;
  });
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

SyncOutcome sync(const std::vector<fs::path>& logs, const Settings& settings, const SyncOptions& options) {
  return Syncing(logs, settings, options).run();
}

}  // namespace yatlab::wandb
