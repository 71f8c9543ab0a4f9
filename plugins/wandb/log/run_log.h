#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "plugins/wandb/log/log_file.h"
#include "plugins/wandb/log/settings.h"

namespace yatlab::wandb {

namespace pb {
class HistoryRecord;
class MetricRecord;
}  // namespace pb

using Json = nlohmann::ordered_json;

/// How a metric is summed up and drawn.
struct MetricDefinition {
  enum class Goal { kNone, kMinimize, kMaximize };
  std::string name;
  std::string step_metric;  ///< its x axis; rows that hold the metric must hold this too. Empty: the step
  Goal goal = Goal::kNone;
  bool min = false, max = false, best = false, last = false;  ///< kept in the summary, as {"max": ...}
};

/// What a run is, from its beginning on.
struct RunDescription {
  std::string id, entity, project, group, job_type, name, notes, sweep_id, host;
  std::vector<std::string> tags;
  std::string git_remote, git_commit;
  std::string program;  ///< what was started
  Json config = Json::object();
  Json metadata;  ///< goes into files/wandb-metadata.json; null: nothing
};

/// A file of an artifact, by the name that it has there.
struct ArtifactFile {
  std::string name;
  fs::path source;
};

/// A file of a data set that a run used: nothing of it is uploaded.
struct InputFile {
  std::string name, url, sha256;
  std::int64_t size = 0;
};

/// A data set that a run used. The same files under the same name are one version, however many runs used them.
struct InputArtifact {
  std::string type, name;
  std::vector<InputFile> files;
  Json metadata;  ///< null: none
  std::vector<std::string> aliases;
};

enum class AlertLevel { kInfo, kWarn, kError };

/// One run in its folder `<wandb>/offline-run-<time>-<id>`: what the official client leaves, and what it uploads.
///
/// Nothing here waits for a network. All calls may come from several threads at once. Those that write throw a file error
/// when the disk refuses. Texts are repaired (UTF-8) and freed of the API key, should one hold it.
class RunLog {
 public:
  /// Continues the run with this id if its folder is there and its log has no end; otherwise begins one. An id whose run has
  /// ended gets "-2", "-3", ... behind it.
  RunLog(const fs::path& wandb_folder, RunDescription description, std::shared_ptr<const Secret> key = nullptr);
  ~RunLog();

  const fs::path& folder() const { return folder_; }
  const fs::path& path() const { return path_; }  ///< the .wandb file
  const std::string& id() const { return id_; }
  bool continued() const { return continued_; }
  /// Of the last row; -1 before the first. Rows up to here are dropped: a job that goes on from a checkpoint repeats them.
  std::int64_t last_step() const;
  /// Whether a row that was there when the run was continued holds a picture, table, page or histogram of this name.
  bool had_object(const std::string& key) const;

  void define(const MetricDefinition& metric);
  /// One row; false when it was dropped because its step is not beyond the last one's.
  bool history(std::int64_t step, const std::vector<std::pair<std::string, double>>& values);
  /// One row of anything (images, tables).
  bool history(std::int64_t step, const Json& values);
  /// Numbers and objects in one row.
  bool history(std::int64_t step, const std::vector<std::pair<std::string, double>>& values, const Json& objects);
  void summary(const std::string& key, const Json& value);
  /// Text as it would stand in a terminal, newlines included. A character that is not whole waits for its rest.
  void console(std::string_view text, bool error = false);
  /// System metrics, without "system." before their names.
  void system(const std::vector<std::pair<std::string, double>>& values);

  /// The value to put into history for a picture; copies it to files/media. Caption: may be empty.
  Json image(const std::string& key, std::int64_t step, const std::string& png, const std::string& caption);
  /// The same for a page of HTML.
  Json html(const std::string& key, std::int64_t step, const std::string& html);
  /// The value for a histogram: `counts` between `edges`, one more than they. Neighbours are merged until 512 are left. Throws a
  /// data error when the sizes do not fit or a number is not finite.
  static Json histogram(const std::vector<double>& edges, const std::vector<double>& counts);
  /// The value for a table; rows beyond 10,000 are left out. It is an artifact of type `run_table`, too.
  Json table(const std::string& key, std::int64_t step, const std::vector<std::string>& columns, const Json& rows);
  /// A versioned set of files. They are copied, since an upload deletes what it has sent.
  void artifact(const std::string& type, const std::string& name, const std::vector<ArtifactFile>& files, const Json& metadata,
                const std::vector<std::string>& aliases);
  /// What the run used; once for each content.
  void input(const InputArtifact& artifact);
  /// A message that W&B mails to whoever wants it. An upload sends it once.
  void alert(const std::string& title, const std::string& text, AlertLevel level);

  /// What is known so far, for readers of the file.
  void flush();
  /// Ends the run. Later calls do nothing.
  void finish(int exit_code);

 private:
  struct Summary {
    double last = 0, min = 0, max = 0;
    bool fresh = true;
  };
  struct Scratch;
  struct ArtifactDraft;

  void make_folder();
  void begin(const RunDescription& description);
  bool read_back();
  void remember(const pb::MetricRecord& metric);
  void remember(const pb::HistoryRecord& row);
  void note(const std::string& name, double value);
  template <class Fill>
  void write(const Fill& fill);
  std::string clean(std::string_view text) const;
  double now_runtime() const;
  void end_row(std::int64_t step);
  void write_summary();
  Json media(const char* type, const char* folder, const char* ending, const std::string& key, std::int64_t step, const std::string& bytes);
  void write_artifact(const ArtifactDraft& draft);
  void write_telemetry();
  void write_console(std::string_view text, bool error);
  void write_line(bool error);

  std::shared_ptr<const Secret> key_;
  fs::path wandb_folder_, folder_, path_;
  std::string id_, entity_, project_;
  mutable std::mutex mutex_;
  std::unique_ptr<LogWriter> writer_;
  std::unique_ptr<Scratch> scratch_;
  std::int64_t count_ = 0;  // records written
  double started_ = 0, runtime_before_ = 0;
  std::int64_t step_ = -1;
  bool continued_ = false, ended_ = false;
  std::map<std::string, MetricDefinition> metrics_;
  std::map<std::string, Summary> seen_;  // numbers, as far as they changed or have aggregates
  std::set<std::string> changed_;        // of seen_, since the last summary record
  double summary_written_ = 0;
  std::string held_[2];            // unfinished characters of console text
  std::string line_[2];            // unfinished lines of it
  std::set<std::string> inputs_;   // by client id
  std::set<std::string> objects_;  // of rows that were read back
};

/// The folder of a run with this id, or an empty path.
fs::path find_run(const fs::path& wandb_folder, const std::string& id);
/// Whether the run in this folder came to its end. A log that was cut off behind its exit gets the last records that it lacks.
bool has_ended(const fs::path& run_folder);

}  // namespace yatlab::wandb
