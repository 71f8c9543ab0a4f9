#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/library/run_index.h"
#include "core/record/job_status.h"
#include "core/record/run_view.h"
#include "plugins/serve/server/http_server.h"

namespace yatlab {

/// Serves a results folder to the page. Reads folders, and writes nothing but the index of runs (run_index.h).
///
///   GET /                         the page, and /page.css, /page.js
///   GET /api/runs?filter=WORDS    what `yatlab runs WORDS` finds
///   GET /api/run?run=NAME/ID      one run: arms, tables, jobs, config
///   GET /api/status?run=...       its jobs, as in `yatlab status --json`
///   GET /api/rows?run=&job=&from= complete lines of a job's metrics.jsonl from a byte offset on, at most 4 MB; X-Next is the next offset.
///                                 With &as=columns as numbers (plugins/serve/server/log_columns.h)
///   GET /api/compare?a=&b=        the output of `yatlab compare --json`
///   GET /api/figure?run=&id=      a figure of its report, drawn now
///   GET /api/log?run=             the end of its log.txt, and of its output after being resumed from the page
///   POST /api/stop?run=&job=      asks the run's processes on this machine to save and end; with a job, only that job
///   POST /api/resume?run=         starts its command again, which resumes the run
class LiveResults {
 public:
  explicit LiveResults(fs::path results);
  ~LiveResults();
  LiveResults(const LiveResults&) = delete;
  LiveResults& operator=(const LiveResults&) = delete;

  HttpAnswer answer(const HttpRequest& request);

  /// Lists the runs anew, and which of them are in progress.
  void begin();
  /// Changes since the last call, as JSON texts: {"runs": true} if a run appeared or vanished, {"run": ..., "jobs": [...]} for one in progress. Reads
  /// only the unfinished jobs of runs in progress. A job's item has what changed, its folder and state, and "left_s", "what" and "error" if
  /// there are any. New rows of at most 4 kB are in it: "rows" are the lines of metrics.jsonl from byte "from" up to byte "next".
  std::vector<std::string> changes();

 private:
  struct JobInProgress {
    JobState state = JobState::kPlanned;
    std::int64_t stamp = 0;                              ///< of the files that tell its state
    std::shared_ptr<const nlohmann::ordered_json> sent;  ///< the last item about it, or null
    std::optional<std::uintmax_t> lines;                 ///< bytes of metrics.jsonl up to the last whole line seen
  };
  struct RunInProgress {
    RunView plan;
    std::vector<JobInProgress> jobs;
  };
  fs::path folder_of(const std::string& run) const;
  RunIndex index();
  void watch();
  static std::string changes_of(const std::string& name, const fs::path& run, RunInProgress& in_progress);

  fs::path results_;
  std::mutex drawing_;   ///< one figure at a time
  std::mutex indexing_;  ///< a page asks for the runs twice when it opens: they are not read twice at the same time
  std::mutex mutex_;     ///< protects the members below
  std::map<std::string, RunInProgress> in_progress_;
  int watched_ = -1;  ///< inotify's descriptor, or -1
};

namespace served {
extern const std::string_view kPage, kScript;
}

}  // namespace yatlab
