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

/// How a metric is aggregated and drawn.
struct MetricDefinition {
  enum class Goal { kNone, kMinimize, kMaximize };
  std::string name;
  std::string step_metric;  ///< its x axis; rows with the metric must hold this too. Empty: the step
  Goal goal = Goal::kNone;
  bool min = false, max = false, best = false, last = false;  ///< kept in the summary, as {"max": ...}
};

/// The description of a run, fixed at its beginning.
struct RunDescription {
  std::string id, entity, project, group, job_type, name, notes, sweep_id, host;
  std::vector<std::string> tags;
  std::string git_remote, git_commit;
  std::string program;  ///< the started program
  Json config = Json::object();
  Json metadata;  ///< written to files/wandb-metadata.json; null: nothing
};

/// A file of an artifact, by its name in the artifact.
struct ArtifactFile {
  std::string name;
  fs::path source;
};

/// A file of a data set that a run used; never uploaded.
struct InputFile {
  std::string name, url, sha256;
  std::int64_t size = 0;
};

/// A data set that a run used. The same files under the same name are one version, however many runs use them.
struct InputArtifact {
  std::string type, name;
  std::vector<InputFile> files;
  Json metadata;  ///< null: none
  std::vector<std::string> aliases;
};

enum class AlertLevel { kInfo, kWarn, kError };

/// One run in its folder `<wandb>/offline-run-<time>-<id>`, in the format that the official client writes and uploads.
///
/// Never waits for a network. Thread-safe. Calls that write throw a file error
/// when the disk refuses. Texts are repaired (UTF-8), and the API key is removed from them.
class RunLog {
 public:
  /// Continues the run with this id if its folder exists and its log has no end; otherwise begins a new run. If a run with the id
  /// has ended, "-2", "-3", ... is appended to the id.
  RunLog(const fs::path& wandb_folder, RunDescription description, std::shared_ptr<const Secret> key = nullptr);
  ~RunLog();

  const fs::path& folder() const { return folder_; }
  const fs::path& path() const { return path_; }  ///< the .wandb file
  const std::string& id() const { return id_; }
  bool continued() const { return continued_; }
  /// Step of the last row; -1 before the first. Rows up to it are dropped: a job resumed from a checkpoint repeats them.
  std::int64_t last_step() const;
  /// Whether, when the run was continued, an existing row held a picture, table, page or histogram of this name.
  bool had_object(const std::string& key) const;

  void define(const MetricDefinition& metric);
  /// Adds a row; false when it was dropped because its step is not greater than the last one's.
  bool history(std::int64_t step, const std::vector<std::pair<std::string, double>>& values);
  /// Adds a row of any values (images, tables).
  bool history(std::int64_t step, const Json& values);
  /// Adds numbers and objects in one row.
  bool history(std::int64_t step, const std::vector<std::pair<std::string, double>>& values, const Json& objects);
  void summary(const std::string& key, const Json& value);
  /// Text as printed to a terminal, newlines included. An incomplete character is held until its remaining bytes arrive.
  void console(std::string_view text, bool error = false);
  /// System metrics; names without the prefix "system.".
  void system(const std::vector<std::pair<std::string, double>>& values);

  /// The history value of a picture, which is copied to files/media. Caption: may be empty.
  Json image(const std::string& key, std::int64_t step, const std::string& png, const std::string& caption);
  /// The same for an HTML page.
  Json html(const std::string& key, std::int64_t step, const std::string& html);
  /// The history value of a histogram: `counts` between `edges`, of which there is one more. Neighbours are merged down to 512. Throws a
  /// data error when the sizes do not match or a number is not finite.
  static Json histogram(const std::vector<double>& edges, const std::vector<double>& counts);
  /// The history value of a table; rows beyond 10,000 are left out. The table is also an artifact of type `run_table`.
  Json table(const std::string& key, std::int64_t step, const std::vector<std::string>& columns, const Json& rows);
  /// A versioned set of files. They are copied, since an upload deletes files after sending them.
  void artifact(const std::string& type, const std::string& name, const std::vector<ArtifactFile>& files, const Json& metadata,
                const std::vector<std::string>& aliases);
  /// A data set that the run used; recorded once for each content.
  void input(const InputArtifact& artifact);
  /// A message that W&B mails to subscribers. An upload sends it once.
  void alert(const std::string& title, const std::string& text, AlertLevel level);

  /// Writes the current state for readers of the file.
  void flush();
  /// Ends the run. Later calls have no effect.
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
  std::map<std::string, Summary> seen_;  // numbers that changed or have aggregates
  std::set<std::string> changed_;        // keys of seen_ since the last summary record
  double summary_written_ = 0;
  std::string held_[2];            // incomplete characters of console text
  std::string line_[2];            // incomplete lines of it
  std::set<std::string> inputs_;   // by client id
  std::set<std::string> objects_;  // from rows that were read back
};

/// The folder of a run with this id, or an empty path.
fs::path find_run(const fs::path& wandb_folder, const std::string& id);
/// Whether the run in this folder has ended. If its log was cut off after the exit record, appends the missing last records.
bool has_ended(const fs::path& run_folder);

}  // namespace yatlab::wandb
