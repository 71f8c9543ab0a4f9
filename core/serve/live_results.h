#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/record/job_status.h"
#include "core/record/run_view.h"
#include "core/serve/http_server.h"

namespace yatlab {

/// A results folder as the page asks for it. Reads folders, and writes nothing but the index of runs (run_index.h).
///
///   GET /                         the page, and /page.css, /page.js
///   GET /api/runs?filter=WORDS    what `yatlab runs WORDS` finds
///   GET /api/run?run=NAME/ID      one run: arms, tables, jobs, config
///   GET /api/status?run=...       its jobs as `yatlab status --json` has them
///   GET /api/rows?run=&job=&from= whole lines of a job's metrics.jsonl from a byte on, at most 4 MB; X-Next is where the next ones begin
///   GET /api/compare?a=&b=        what `yatlab compare --json` has
///   POST /api/stop?run=           asks the processes of this machine that work at it to save and end
class LiveResults {
 public:
  explicit LiveResults(fs::path results);
  ~LiveResults();
  LiveResults(const LiveResults&) = delete;
  LiveResults& operator=(const LiveResults&) = delete;

  HttpAnswer answer(const HttpRequest& request);

  /// Looks anew which runs there are, and which of them go on.
  void begin();
  /// What changed since the last call, as JSON texts: {"runs": true} where a run came or went, {"run": ..., "jobs": [...]} of one that goes on. Reads the
  /// jobs that are not over of runs that go on, and nothing where none does.
  std::vector<std::string> changes();

 private:
  struct Going {
    RunView plan;
    std::vector<JobState> states;
    std::vector<std::string> seen;  ///< of each job, as it was sent
  };
  fs::path folder_of(const std::string& run) const;
  void watch();
  std::string changes_of(const std::string& name, Going& going);

  fs::path results_;
  std::mutex mutex_;  ///< of what follows
  std::map<std::string, Going> going_;
  int watched_ = -1;  ///< inotify's, or -1
};

namespace served {
extern const std::string_view kPage, kStyle, kScript;
}

}  // namespace yatlab
