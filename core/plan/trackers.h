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

/// log.txt: a dated record of events, for later readers. Calls may come from several threads at once; none throws.
class EventLog {
 public:
  explicit EventLog(fs::path path) : path_(std::move(path)) {}
  void write(const std::string& text);

 private:
  bool complained_ = false;
  fs::path path_;
  std::mutex mutex_;
};

/// The specs in `trackers`, plus `tracker` unless it is one of them.
Node tracker_specs(const Node& experiment);

/// The shell command that shows a run again to one of these trackers, with the same settings.
std::string command_to_replay(const Node& specs, const std::string& name, const std::string& run);

/// All trackers of a run. One that throws is reported and switched off; the others continue.
class Trackers {
 public:
  /// quiet: without the terminal's tracker.
  Trackers(const Node& specs, bool quiet, EventLog& log);

  /// Whether there is a tracker besides the terminal.
  bool mirrors() const;
  /// The trackers that skip jobs (Tracker::left_out), and how many each skips.
  std::vector<std::pair<std::string, std::size_t>> left_out() const;

  /// Begins; the only call that throws config errors (see Tracker::on_run_start).
  void start(const RunInfo& info);
  /// Calls may come from several threads at once.
  void each(const std::function<void(Tracker&)>& call);

 private:
  void switched_off(const std::string& name, const Error& error);

  EventLog& log_;
  std::vector<std::pair<std::string, std::shared_ptr<Tracker>>> active_;
};

}  // namespace yatlab
