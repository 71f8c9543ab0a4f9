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
///   GET /api/figure?run=&id=      a figure of its report, drawn now
///   GET /api/log?run=             the end of its log.txt, and of what it printed when it was resumed from here
///   POST /api/stop?run=&job=      asks the processes of this machine that work at it to save and end; with a job, the one that does that job alone
///   POST /api/resume?run=         starts its command again, which goes on with it
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
  std::mutex drawing_;  ///< one figure at a time
  std::mutex mutex_;    ///< of what follows
  std::map<std::string, Going> going_;
  int watched_ = -1;  ///< inotify's, or -1
};

namespace served {
extern const std::string_view kPage, kStyle, kScript;
}

}  // namespace yatlab
