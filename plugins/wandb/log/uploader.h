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

/// Sends the logs of running jobs from a thread of its own. Whoever writes the logs never waits for it, and no failure of
/// it reaches them.
class Uploader {
 public:
  /// `notice` gets what the user should know, `connected` each run's page once the server has accepted it, from the uploader's
  /// thread.
  Uploader(Settings settings, UploadOptions options, std::function<void(const std::string&)> notice,
           std::function<void(const fs::path& log, const std::string& run_page)> connected = {});
  /// Stops at once, in the middle of a request if need be.
  ~Uploader();
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;

  void follow(const fs::path& log);
  /// Whether the user pressed Stop for this run.
  bool stop_requested(const fs::path& log) const;

  /// The page of the project that runs went to; "" before the first did.
  std::string project_page() const;
  /// No log grows any more: sends what is left, for at most `seconds`, or 10 from when `hurry` says so, then ends the thread. Returns the folders of
  /// runs that are not all there.
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
  std::set<std::string> said_, shown_;
  int details_ = 0;  // notices about single files that were given
  bool closing_ = false, ending_ = false;
  Api api_;
  std::thread thread_;
};

}  // namespace yatlab::wandb
