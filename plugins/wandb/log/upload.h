#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "plugins/wandb/log/api.h"
#include "plugins/wandb/log/log_file.h"
#include "plugins/wandb/log/settings.h"

namespace yatlab::wandb {

struct UploadOptions {
  double settle_seconds = 1;      ///< how long a new run may log descriptions before it is created on the server
  double post_seconds = 15;       ///< between two posts of one run
  double full_seconds = 1;        ///< the same while there is more to send than goes into one post
  double heartbeat_seconds = 30;  ///< without posts after which a heartbeat is sent, while a run is in progress
  double hold_seconds = 10;       ///< how long a run's last rows wait for its files, to be sent with its end in one post
  double retry_seconds = 2;       ///< the first waiting time after a failure; doubles up to longest_retry
  double longest_retry = 60;
  double file_patience = 120;  ///< how long a file is retried before its run is closed without it
  std::size_t post_bytes = 8 << 20;
  int unended_exit_code = 1;    ///< for a run whose log has no end
  std::string entity, project;  ///< instead of the log's
  bool again = false;           ///< asks the server what it has; files that it refused are sent again
};

/// Uploads one log to the server: its present contents and, in later steps, what has been added since. The progress is stored
/// beside the log in `<log>.upload`, so that no row is sent twice, whichever process continues. Rows, files and artifacts are sent
/// independently: a file that is refused or fails does not delay rows.
class RunUpload {
 public:
  enum class State {
    kWaiting,   ///< for an answer, or for more data
    kUploaded,  ///< everything is on the server except refused files; the run is marked as finished
    kUnended,   ///< everything is on the server; the log has no end
    kFailed,    ///< temporarily or permanently; `problem` says why
    kBusy,      ///< another process uploads it
  };
  RunUpload(fs::path log, const Settings& settings, UploadOptions options);
  ~RunUpload();
  RunUpload(const RunUpload&) = delete;
  RunUpload& operator=(const RunUpload&) = delete;

  /// Starts the requests that are due; never waits. `closing`: the log will not grow any more, so send the rest at once, then close the
  /// run. The first step opens files and takes a lock. All steps need the same `api`.
  State step(Api& api, double now, bool closing);
  /// Whether a step may be useful: an answer came, or some time has passed.
  bool due(double now) const { return answered_ || now >= last_step_ + 0.1; }

  /// Whether a request is running.
  bool busy() const { return row_request_ || files_under_way_ > 0 || artifacts_under_way_ > 0 || alert_under_way_; }
  bool is_open() const { return reader_ != nullptr; }
  bool connected() const { return connected_; }  ///< the server has accepted the run
  bool stop_requested() const { return stop_; }
  const std::string& problem() const { return problem_; }
  /// Messages for the user, each once.
  std::vector<std::string> take_notices() { return std::exchange(notices_, {}); }
  const RunAddress& address() const { return address_; }
  const fs::path& log() const { return log_; }
  std::int64_t rows_sent() const { return rows_sent_; }  ///< by this object
  std::int64_t files_sent() const { return files_sent_; }
  std::int64_t artifacts_sent() const { return artifacts_sent_; }
  std::size_t refused() const { return refused_files_.size() + refused_artifacts_.size(); }  ///< files and artifacts, in any upload
  bool cut() const { return cut_; }                                                          ///< the log ends inside a record

 private:
  /// One of the server's line files: the log's lines that it has, and where the next line goes.
  struct Lines {
    std::int64_t taken = 0;  ///< lines of the log that the server has
    std::int64_t line = 0;   ///< next line on the server
    std::int64_t seen = 0;   ///< lines of the log that this object has read
    std::vector<std::string> waiting;
  };
  struct Records;
  /// Failed attempts at one upload.
  struct Tries {
    Backoff backoff;
    double since = -1;  ///< time of the first failure; none: -1
  };
  struct PendingArtifact;
  struct PendingFile {
    UploadFile file;
    Tries tries;
  };

  std::optional<State> open(bool closing);
  void read();
  void connect(Api& api);
  void ask(Api& api, std::function<void()> next);
  bool found(const std::optional<ServerRun>& there);
  void send_config(Api& api, bool anew, bool ask_after);
  void post(Api& api, double now, std::optional<int> exit_code);
  void posted(std::optional<int> exit_code, std::size_t announced, bool stop);
  void add_file(const std::string& name, std::string bytes = {});
  void add_last_files();
  void send_files(Api& api, double now);
  void send_file(Api& api, const UploadPlace& place, const std::shared_ptr<PendingFile>& file);
  void send_artifacts(Api& api, double now);
  void artifact_ended(const std::shared_ptr<PendingArtifact>& pending);
  void artifact_sent(const pb::ArtifactRecord& artifact);
  bool is_own_file(const fs::path& path) const;
  void send_alert(Api& api);
  void refuse(std::map<std::string, std::string>& list, const std::string& key, const std::string& what, const std::string& why);
  bool give_up(Tries& tries, double now, const ApiFailure& failure);
  bool files_are_over() const { return files_.empty() && files_under_way_ == 0 && artifacts_under_way_ == 0 && !alert_under_way_; }
  void add_line(Lines& lines, std::string text);
  void load_state();
  void save_state() const;
  template <class F>
  auto here(F f);

  const fs::path log_, folder_;
  const Settings& settings_;
  const UploadOptions options_;
  Descriptor lock_;
  std::unique_ptr<LogReader> reader_;
  std::unique_ptr<Records> records_;
  RunAddress address_;
  Lines history_, events_, console_;
  std::optional<std::int64_t> skip_to_step_;  // rows up to here are on the server
  std::size_t waiting_bytes_ = 0;
  std::deque<std::shared_ptr<PendingFile>> files_;
  std::vector<std::string> end_files_, announced_;
  std::set<std::string> files_done_, artifacts_done_, files_seen_;
  std::map<std::string, std::string> refused_files_, refused_artifacts_, reasons_;  // the reasons
  std::vector<std::string> unsent_;                                                 // failed to upload
  std::int64_t alerts_done_ = 0, alerts_seen_ = 0;
  bool connected_ = false, has_state_ = false, complete_ = false, summary_changed_ = false, more_ = false, unended_ = false;
  bool cut_ = false, stop_ = false, answered_ = true;
  bool row_request_ = false, alert_under_way_ = false, last_files_added_ = false, unsent_artifact_ = false, posted_once_ = false;
  std::size_t files_under_way_ = 0, artifacts_under_way_ = 0;
  std::uint64_t closed_at_ = 0;  // the log's length when the run was last closed without an end
  double last_step_ = -1e18, last_post_ = -1e18, last_config_ = -1e18, last_files_ = -1e18, hold_since_ = -1, opened_ = -1;
  std::int64_t rows_sent_ = 0, files_sent_ = 0, artifacts_sent_ = 0;
  std::string problem_;
  std::vector<std::string> notices_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // answers that arrive after destruction are ignored
};

}  // namespace yatlab::wandb
