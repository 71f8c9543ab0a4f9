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

/// The log in a run folder; empty when it is none.
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

/// One log on its way.
struct Task {
  fs::path log;
  std::unique_ptr<RunUpload> run;
  State state = State::kWaiting;
  bool over = false;
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
      throw config_error(fmt::format("'{}' holds no W&B run", word.string()), "command line",
                         fs::exists(target) ? "no folder offline-run-... is in it" : "there is no such file or folder",
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
  SyncOutcome out;
  const auto say = [&](const std::string& text) {
    if (options.say) options.say(settings.key ? settings.key->redact(text) : text);
  };
  const auto stopped = [&] { return options.stop && options.stop(); };
  auto upload = options.upload;
  upload.again = options.again;
  upload.file_patience = std::min(upload.file_patience, options.patience);
  Api api(settings, upload.retry_seconds, upload.longest_retry);
  std::deque<Task> tasks;  // those that have begun, and not all before them are told
  std::size_t next = 0;

  const auto tell = [&](Task& task) {
    const auto name = task.log.parent_path().filename().string();
    if (!task.run) {
      say(fmt::format("{}: is still being written; left alone", name));
      ++out.skipped;
      return;
    }
    auto& run = *task.run;
    for (const auto& notice : run.take_notices()) say(fmt::format("{}: {}", name, notice));
    auto sent = fmt::format("{}, {}", count(run.rows_sent(), "row"), count(run.files_sent(), "file"));
    if (run.artifacts_sent() > 0) sent += ", " + count(run.artifacts_sent(), "artifact");
    if (run.refused() > 0) sent += fmt::format(", {} refused", run.refused());
    const auto& a = run.address();
    if (task.state == State::kUploaded) {
      ++out.uploaded;
      say(fmt::format("{}: {} -> {}", name, sent, settings.page(a.entity, a.project, a.id)));
    } else if (task.state == State::kUnended) {
      ++out.unended;
      say(fmt::format("{}: {} -> {}\n  its log has no end{}: marked as failed there; sync it again should it go on", name, sent,
                      settings.page(a.entity, a.project, a.id), run.cut() ? " (it is cut off inside a record)" : ""));
    } else if (task.state == State::kBusy) {
      ++out.skipped;
      say(fmt::format("{}: is being uploaded by another process; left alone", name));
    } else {
      ++out.failed;
      say(fmt::format("{}: {}: {}", name, run.connected() ? "not all uploaded" : "not uploaded", run.problem()));
    }
  };

  while (!stopped() && (next < logs.size() || !tasks.empty())) {
    while (next < logs.size() && tasks.size() < kOpenAtOnce) {
      const auto& log = logs[next++];
      if (!options.again && fs::exists(log.string() + ".synced")) {
        ++out.done_before;
        continue;
      }
      Task task;
      task.log = log;
      task.over = is_being_written(log);
      if (!task.over) task.run = std::make_unique<RunUpload>(log, settings, upload);
      tasks.push_back(std::move(task));
    }
    for (auto& task : tasks) {
      if (task.over || !task.run->due(steady_now())) continue;
      task.state = task.run->step(api, steady_now(), true);
      task.over = task.state != State::kWaiting;
    }
    while (!tasks.empty() && tasks.front().over) {
      tell(tasks.front());
      tasks.pop_front();
    }
    if (api.failures() > 0 && std::max(api.ready_at(), steady_now()) - api.answered_at() > options.patience) {
      // The server is away: what is left would fare the same.
      bool told = false;
      for (auto& task : tasks) {
        if (task.over) {
          tell(task);
          continue;
        }
        ++out.failed;
        if (std::exchange(told, true)) continue;
        say(fmt::format("{}: not uploaded: {}\n  the same command goes on from here", task.log.parent_path().filename().string(),
                        api.last_failure()));
      }
      for (; next < logs.size(); ++next) {
        if (!options.again && fs::exists(logs[next].string() + ".synced")) {
          ++out.done_before;
        } else {
          ++out.failed;
        }
      }
      return out;
    }
    if (!tasks.empty()) api.run(0.05);
  }
  for (auto& task : tasks) {  // interrupted
    if (task.over) tell(task);
  }
  return out;
}

}  // namespace yatlab::wandb
