#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/recorded_report.h"

namespace yatlab {

/// How what was measured again stands to what is recorded.
enum class Agreement {
  kSame,         ///< to six digits
  kWithinSeeds,  ///< no further apart than two seeds lie in 99 of 100 cases
  kUndecided,    ///< apart, and a single recorded seed tells of no spread
  kBeyond,       ///< further apart than seeds explain, or measured no longer
};

/// A number of one job, before and now.
struct RepeatedNumber {
  std::string job;  ///< its folder: "jobs/yat/seed=0"
  std::string metric;
  double recorded = 0;
  std::optional<double> again;      ///< nothing: it is measured no longer
  std::optional<double> explained;  ///< how far two seeds of the job's arm lie apart at most: t(0.995, n−1)·s·√2; nothing for n = 1
  std::size_t seeds = 0;            ///< recorded ones: n
  Agreement agreement = Agreement::kSame;
};

/// The verdict on a statement of the paper, before and now.
struct RepeatedClaim {
  std::string label, recorded;
  std::string again;  ///< "": it is checked no longer
  bool same() const { return recorded == again; }
};

/// Recorded jobs that were run again.
struct Repetition {
  std::size_t jobs = 0;
  std::vector<RepeatedNumber> numbers;  ///< the plan's order, in a job by name
  std::vector<RepeatedClaim> claims;
  std::vector<std::string> other_data;  ///< jobs that were trained on other data than the recorded ones: their numbers say nothing
  std::size_t count(Agreement agreement) const;
  /// Whether something lies beyond what seeds explain, or a statement is judged otherwise.
  bool disagrees() const;
};

/// Holds finished jobs of `again` against the recorded ones of the same folder. What describes the run alone (time, memory: run/...) is left
/// out, all but whether it diverged.
Repetition hold_against(const RecordedExperiment& recorded, const RunView& again);

/// "12 numbers: 11 the same, 1 within what seeds explain"
std::string agreement_counts(const std::vector<Repetition>& repetitions);
/// A line for each number and each statement that is not the same, the furthest first; with `all` also for those that are.
std::string repetition_text(const Repetition& repetition, bool all);

}  // namespace yatlab
