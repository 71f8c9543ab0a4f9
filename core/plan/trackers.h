#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/node.h"
#include "core/plan/tracker.h"

namespace yatlab {

/// log.txt: what happened when, for whoever looks at a run later. Calls may come from several threads at once; none throws.
class EventLog {
 public:
  explicit EventLog(fs::path path) : path_(std::move(path)) {}
  void write(const std::string& text);

 private:
  bool complained_ = false;
  fs::path path_;
  std::mutex mutex_;
};

/// The specs in `trackers` and, unless it is one of them, `tracker`.
Node tracker_specs(const Node& experiment);

/// What shows a run to one of these trackers, as it is set there, once more: ready for a shell.
std::string command_to_replay(const Node& specs, const std::string& name, const std::string& run);

/// All trackers of a run. One that throws is reported and switched off; the others go on.
class Trackers {
 public:
  /// quiet: without the terminal's.
  Trackers(const Node& specs, bool quiet, EventLog& log);

  /// Whether there is a tracker besides the terminal.
  bool mirrors() const;
  /// Those that leave jobs out (Tracker::left_out), and how many.
  std::vector<std::pair<std::string, std::size_t>> left_out() const;

  /// Begins; the only call out of which a config error comes (see Tracker::on_run_start).
  void start(const RunInfo& info);
  /// Calls may come from several threads at once.
  void each(const std::function<void(Tracker&)>& call);

 private:
  void switched_off(const std::string& name, const Error& error);

  EventLog& log_;
  std::vector<std::pair<std::string, std::shared_ptr<Tracker>>> active_;
};

}  // namespace yatlab
