#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "plugins/wandb/log/upload.h"

namespace yatlab::wandb {

/// Uploads the logs of running jobs from its own thread. Writers of the logs never wait for it, and its failures
/// do not affect them.
class Uploader {
 public:
  /// `notice` receives messages for the user, `connected` each run's page once the server has accepted it; both are called from the uploader's
  /// thread.
  Uploader(Settings settings, UploadOptions options, std::function<void(const std::string&)> notice,
           std::function<void(const fs::path& log, const std::string& run_page)> connected = {});
  /// Stops at once, even during a request.
  ~Uploader();
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;

  void follow(const fs::path& log);
  /// Whether the user pressed Stop for this run.
  bool stop_requested(const fs::path& log) const;

  /// The page of the project of the uploaded runs; "" before the first one.
  std::string project_page() const;
  /// Call it when no log grows any more: uploads the rest for at most `seconds`, or 10 from when `hurry` returns true, then ends the thread. Returns
  /// the folders of runs that are incomplete on the server.
  std::vector<fs::path> finish(double seconds, const std::function<bool()>& hurry = {});

 private:
  void work();
  void step(RunUpload& run, bool closing);
  void say(const std::string& text);

  const Settings settings_;
  const UploadOptions options_;
  const std::function<void(const std::string&)> notice_;
  const std::function<void(const fs::path&, const std::string&)> connected_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<RunUpload>> runs_;
  std::map<std::string, RunUpload::State> states_;  // by log
  std::string project_page_;
  std::set<std::string> stopped_;
  std::set<std::string> logged_messages_, shown_;
  int details_ = 0;  // notices about single files so far
  bool closing_ = false, ending_ = false;
  Api api_;
  std::thread thread_;
};

}  // namespace yatlab::wandb
