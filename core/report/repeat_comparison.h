#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/recorded_report.h"

namespace yatlab {

/// How a repeated measurement compares with the recorded one.
enum class Agreement {
  kSame,         ///< equal to six digits
  kWithinSeeds,  ///< no further apart than two seeds are in 99 of 100 cases
  kUndecided,    ///< different, but a single recorded seed shows no spread
  kBeyond,       ///< further apart than seeds explain, or no longer measured
};

/// A number of one job, before and now.
struct RepeatedNumber {
  std::string job;  ///< its folder: "jobs/yat/seed=0"
  std::string metric;
  double recorded = 0;
  std::optional<double> again;  ///< empty: it is no longer measured
  std::optional<double> explained;  ///< the largest difference that two seeds of the job's arm explain: t(0.995, n−1)·s·√2; empty for n = 1
  std::size_t seeds = 0;            ///< number of recorded seeds: n
  Agreement agreement = Agreement::kSame;
};

/// The verdict on a statement of the paper, before and now.
struct RepeatedClaim {
  std::string label, recorded;
  std::string again;  ///< "": it is no longer checked
  bool same() const { return recorded == again; }
};

/// Recorded jobs that were run again.
struct Repetition {
  std::size_t jobs = 0;
  std::vector<RepeatedNumber> numbers;  ///< in the plan's order, by name within a job
  std::vector<RepeatedClaim> claims;
  std::vector<std::string> other_data;  ///< jobs trained on other data than the recorded ones: their numbers are not comparable
  std::size_t count(Agreement agreement) const;
  /// Whether a difference exceeds what seeds explain, or the verdict on a statement changed.
  bool disagrees() const;
  /// Whether there is something to compare, on the same data, and all of it is the same to six digits.
  bool all_same() const;
};

/// Compares finished jobs of `again` with the recorded ones of the same folder. Metrics of the run itself (time, memory: run/...) are skipped, except
/// whether it diverged.
Repetition hold_against(const RecordedExperiment& recorded, const RunView& again);

/// "12 numbers: 11 the same, 1 within what seeds explain"
std::string agreement_counts(const std::vector<Repetition>& repetitions);
/// A line for each number and each statement that differs, the furthest first; with `all` also for the others.
std::string repetition_text(const Repetition& repetition, bool all);

}  // namespace yatlab
