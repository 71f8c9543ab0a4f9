// Components that only these tests know, and switches that steer them from outside.
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
/// How often "moving" was loaded.
std::atomic<int>& moving_data_loads();

/// What tracker "witness" saw: "start 4", "job yat seed=0", "kept ...", "metrics ...", ...
struct Witness {
  static std::vector<std::string> events();
  static void clear();
  /// Called on every progress report of every job.
  static std::function<void(const JobSpec&, const Progress&)>& on_progress();
};

/// What sweeper "witness" was told, ask by ask: all trials so far. Its n-th point is n/16 of each range.
std::vector<std::vector<Trial>>& witnessed_trials();

/// What pruner "witness" was shown.
struct ShownCurves {
  std::vector<SearchCurve> others;
  SearchCurve own;
};
std::vector<ShownCurves>& shown_curves();

/// What tracker "recording" was told, in order, with all that came with it.
std::vector<std::string>& recording();

/// The call in which tracker "throwing" throws: "on_job_start", ...; "" for none.
std::string& throwing_call();
/// Whether it throws a config error then.
bool& throwing_config_error();
/// Calls that reached tracker "throwing".
std::atomic<int>& throwing_calls();

}  // namespace yatlab::testing
