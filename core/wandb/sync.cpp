#include "core/wandb/sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

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

/// Waits, but not longer than until `stop`.
void pause(double seconds, const std::function<bool()>& stop) {
  const double end = steady_now() + seconds;
  while (steady_now() < end && !(stop && stop())) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

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
  Api api(settings);
  const auto say = [&](const std::string& text) {
    if (options.say) options.say(settings.key ? settings.key->redact(text) : text);
  };
  const auto stopped = [&] { return options.stop && options.stop(); };
  bool away = false;  // the server: what is left would fare the same
  for (const auto& log : logs) {
    if (stopped()) break;
    const auto name = log.parent_path().filename().string();
    if (!options.again && fs::exists(log.string() + ".synced")) {
      ++out.done_before;
      continue;
    }
    if (is_being_written(log)) {
      say(fmt::format("{}: is still being written; left alone", name));
      ++out.skipped;
      continue;
    }
    if (away) {
      ++out.failed;
      continue;
    }
    try {
      if (options.again) fs::remove(log.string() + ".upload");
      RunUpload run(log, settings, options.upload);
      Backoff backoff(options.upload.retry_seconds, options.upload.longest_retry);
      double answered = steady_now();
      auto state = State::kWaiting;
      std::string failure;
      while (!stopped()) {
        try {
          state = run.step(api, steady_now(), true);
          answered = steady_now();
          backoff.worked();
          if (state != State::kWorked && state != State::kWaiting) break;
        } catch (const ApiFailure& e) {
          failure = e.what();
          const double wait = backoff.failed(steady_now(), e.retry_after());
          if (steady_now() + wait - answered > options.patience) {
            away = true;
            break;
          }
          pause(wait, options.stop);
        }
      }
      for (const auto& notice : run.notices()) say(fmt::format("{}: {}", name, notice));
      const auto sent = fmt::format("{}, {}{}", count(run.rows_sent(), "row"), count(run.files_sent(), "file"),
                                    run.artifacts_sent() > 0 ? ", " + count(run.artifacts_sent(), "artifact") : "");
      const auto& a = run.address();
      if (state == State::kUploaded) {
        ++out.uploaded;
        say(fmt::format("{}: {} -> {}", name, sent, settings.page(a.entity, a.project, a.id)));
      } else if (state == State::kUnended) {
        ++out.unended;
        say(fmt::format("{}: {} -> {}\n  its log has no end{}: marked as failed there; sync it again should it go on", name, sent,
                        settings.page(a.entity, a.project, a.id), run.cut() ? " (it is cut off inside a record)" : ""));
      } else if (state == State::kBusy) {
        ++out.skipped;
        say(fmt::format("{}: is being uploaded by another process; left alone", name));
      } else if (!stopped()) {
        ++out.failed;
        say(fmt::format("{}: not uploaded: {}{}", name, state == State::kFailed ? run.problem() : failure,
                        away ? "\n  the same command goes on from here" : ""));
      }
    } catch (const Error& e) {
      ++out.failed;
      say(fmt::format("{}: {}", name, e.what()));
    }
  }
  return out;
}

}  // namespace yatlab::wandb
