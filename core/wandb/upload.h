#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/wandb/api.h"
#include "core/wandb/log_file.h"
#include "core/wandb/settings.h"

namespace yatlab::wandb {

struct UploadOptions {
  double post_seconds = 15;       ///< between two posts of one run
  double full_seconds = 1;        ///< the same while there is more to send than goes into one post
  double heartbeat_seconds = 30;  ///< of silence, while a run goes on
  double retry_seconds = 2;       ///< the first waiting time after a failure; doubles up to longest_retry
  double longest_retry = 60;
  std::size_t post_bytes = 8 << 20;
  int unended_exit_code = 1;      ///< of a run whose log has no end
  std::string entity, project;    ///< instead of the log's
};

/// Sends one log to the server: what stands in it now and, asked again, what has come since. Where it has got to is kept
/// beside the log in `<log>.upload`, so that no row is sent twice, whoever goes on with it.
class RunUpload {
 public:
  enum class State {
    kWaiting,   ///< nothing is due
    kWorked,
    kUploaded,  ///< all is there, the run is marked as finished
    kUnended,   ///< all is there; the log has no end
    kFailed,    ///< for good; `problem` says why
    kBusy,      ///< another process uploads it
  };
  RunUpload(fs::path log, const Settings& settings, UploadOptions options);
  ~RunUpload();
  RunUpload(const RunUpload&) = delete;
  RunUpload& operator=(const RunUpload&) = delete;

  /// One request or a few. `closing`: no more will be written; send all there is without waiting, then close the run.
  /// Throws a transient ApiFailure, after which it can be called again; nothing is lost.
  State step(Api& api, double now, bool closing);

  bool connected() const { return connected_; }  ///< the server has accepted the run
  bool stop_requested() const { return stop_; }
  const std::string& problem() const { return problem_; }
  const std::vector<std::string>& notices() const { return notices_; }
  const RunAddress& address() const { return address_; }
  const fs::path& log() const { return log_; }
  std::int64_t rows_sent() const { return rows_sent_; }      ///< by this object
  std::int64_t files_sent() const { return files_sent_; }
  std::int64_t artifacts_sent() const { return artifacts_sent_; }
  bool cut() const { return cut_; }                          ///< the log ends inside a record

 private:
  /// One of the server's line files: how much of the log's is there, and where the next line goes.
  struct Lines {
    std::int64_t taken = 0;  ///< of the log
    std::int64_t line = 0;   ///< there
    std::int64_t seen = 0;   ///< of the log, by this object
    std::vector<std::string> waiting;
  };
  struct Records;

  bool connect(Api& api);
  void read();
  void send_config(Api& api, bool anew);
  bool send_files(Api& api, bool at_end);
  bool send_artifacts(Api& api);
  void post(Api& api, double now, std::optional<int> exit_code);
  void add_line(Lines& lines, std::string text);
  void load_state();
  void save_state() const;

  fs::path log_, folder_;
  const Settings& settings_;
  UploadOptions options_;
  int lock_ = -1;
  LogReader reader_;
  std::unique_ptr<Records> records_;
  RunAddress address_;
  Lines history_, events_, console_;
  std::optional<std::int64_t> skip_to_step_;  // rows up to here are on the server
  std::size_t waiting_bytes_ = 0;
  std::vector<std::string> files_, end_files_, announced_;
  std::set<std::string> files_done_, artifacts_done_;
  bool connected_ = false, has_state_ = false, complete_ = false, summary_changed_ = false, more_ = false;
  bool cut_ = false, stop_ = false;
  std::uint64_t closed_at_ = 0;  // the log's length when the run was last closed without an end
  double last_post_ = -1e18, last_config_ = -1e18;
  std::int64_t rows_sent_ = 0, files_sent_ = 0, artifacts_sent_ = 0;
  std::string problem_;
  std::vector<std::string> notices_;
};

/// How long to wait after a failure: grows with each, with jitter; a word of the server's counts.
class Backoff {
 public:
  Backoff(double first, double longest) : first_(first), longest_(longest) {}
  double failed(double now, double retry_after);  ///< returns the seconds until `ready`
  void worked() { failures_ = 0, ready_at_ = 0; }
  bool ready(double now) const { return now >= ready_at_; }
  double ready_at() const { return ready_at_; }
  int failures() const { return failures_; }

 private:
  double first_, longest_, ready_at_ = 0;
  int failures_ = 0;
};

/// Seconds of a clock that never jumps.
double steady_now();

}  // namespace yatlab::wandb
