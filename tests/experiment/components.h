// Components for these tests only, and switches that control them from outside.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/compose/search.h"
#include "core/plan/tracker.h"

namespace yatlab::testing {

/// Seeds whose analysis "breaking" fails.
struct Breaking {
  static std::vector<std::int64_t>& seeds();
};

/// The dataset "moving": 0 gives a substitute, 1 the "real" data.
std::atomic<int>& moving_data_version();
/// Number of times that "moving" was loaded.
std::atomic<int>& moving_data_loads();

/// The events that tracker "witness" received: "start 4", "job yat seed=0", "kept ...", "metrics ...", ...
struct Witness {
  static std::vector<std::string> events();
  static void clear();
  /// Called on every progress report of every job.
  static std::function<void(const JobSpec&, const Progress&)>& on_progress();
};

/// The arguments of sweeper "witness", one entry per call of `ask`: all trials so far. Its n-th point is n/16 of each range.
std::vector<std::vector<Trial>>& witnessed_trials();

/// The arguments of pruner "witness".
struct ShownCurves {
  std::vector<SearchCurve> others;
  SearchCurve own;
};
std::vector<ShownCurves>& shown_curves();

/// The calls to tracker "recording", in order, with all their arguments.
std::vector<std::string>& recording();

/// The call in which tracker "throwing" throws: "on_job_start", ...; "" for none.
std::string& throwing_call();
/// Whether it then throws a config error.
bool& throwing_config_error();
/// Calls that reached tracker "throwing".
std::atomic<int>& throwing_calls();

}  // namespace yatlab::testing
