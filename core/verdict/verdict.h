#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/metric_doc.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// The verdict of a measurement on a number printed in the paper. The rule is in docs/results.md.
enum class Verdict { kReproduced, kConsistent, kBetter, kWorse, kDiffers, kInconclusive, kUndertrained, kNotComparable };

/// All verdicts, in the order of summaries.
const std::vector<Verdict>& all_verdicts();
/// "reproduced", "consistent", "better", "worse", "differs", "inconclusive", "undertrained", "not comparable"
const char* to_string(Verdict verdict);
/// "1 differs", "2 differ", "3 reproduced". `verdict`: its name, perhaps with more behind it.
std::string counted_verdict(std::size_t n, const std::string& verdict);

/// The names that configs use: higher, lower, none.
const std::vector<std::pair<std::string, Direction>>& directions();

struct Judgement {
  Verdict verdict = Verdict::kInconclusive;
  std::string why;      ///< one sentence, with the deciding numbers
  bool fitted = false;  ///< under a protocol chosen because it gives the paper's numbers
};

/// "reproduced", or "reproduced, fitted" under a fitted protocol.
std::string verdict_name(const Judgement& judgement);

/// The paper's results over several of its own runs: mean ± standard deviation over n seeds, or the value of each seed.
struct PaperSample {
  SampleSummary summary;            ///< n >= 2
  std::vector<double> values;       ///< for each seed, if printed
  std::vector<std::int64_t> seeds;  ///< the seeds of `values`, if known: runs of the same seed are paired
};

/// "84.27 ± 0.60 % (n = 3)", as printed; mean and deviation computed from values by seed are rounded.
std::string sample_text(const PaperSample& sample, NumberFormat format, bool with_n = true);

/// The inputs of a verdict.
struct VerdictInput {
  Interval paper;                     ///< the printed value; a point for a single number, the mean of a sample
  std::optional<PaperSample> sample;  ///< the paper's own runs: two samples are compared
  double tolerance = 0;               ///< maximum distance from the paper's value that still counts as equal
  std::vector<double> values;         ///< ours, one per seed, finite
  std::vector<std::int64_t> seeds;    ///< ours, one per value; needed where `sample` has seeds
  Direction direction = Direction::kNone;
  bool deterministic = false;  ///< the value does not depend on the seed: one run is enough
  bool share = false;          ///< values are 0 or 1: intervals are Wilson's, and `sample` is one value
  std::size_t diverged = 0;    ///< seeds without a value because they diverged
  std::size_t not_finite = 0;  ///< seeds whose value is NaN or infinite
  std::size_t failed = 0;      ///< seeds that failed or have not finished
  /// Reasons why the run does not measure what the paper's row names ("substitute data: ..."). Any reason makes the verdict "not comparable".
  std::vector<std::string> not_comparable;
  std::optional<Judgement> unmet;  ///< set if a condition of the metric does not hold: it becomes the verdict
  std::string fitted;              ///< why the protocol was chosen, if the paper's numbers decided it
  std::string format = "number";   ///< how `why` prints values (a NumberFormat name)
};

/// The minimum number of seeds for any verdict, and for equality.
constexpr std::size_t kFewestSeeds = 3, kFewestForEquality = 5;

/// Applies the rule. The paper's region is its value (or range), extended by the tolerance on both sides. In this order:
///  1. a reason in `not_comparable` -> not comparable; then `unmet`;
///  2. fewer than 3 values (1 for a deterministic metric) -> inconclusive; so is a mean of survivors: a seed diverged, or its value is not finite;
///  3. a deterministic metric: in the region -> reproduced, else step 6;
///  4. five values or more, and the 90 % confidence interval of the mean inside the region (two one-sided tests at 5 %) -> reproduced;
///  5. the mean inside the region, or the paper's value within the 95 % prediction interval for one more run -> consistent, unless
///     that interval is wider than ten tolerances -> inconclusive;
/// 6. the 95 % confidence interval of the mean outside the region -> better or worse by the metric's direction, or differs when it
///     has none;
///  7. else inconclusive.
///
/// With a `sample` of the paper, the intervals are those of the difference of two means, shifted by the paper's mean. They are Welch's, or
/// Student's over pairs if each of its seeds, three or more, is one of ours. In step 5 the prediction interval becomes the 95 % interval of the
/// difference: it contains the paper's mean if the test finds no difference.
Judgement judge(const VerdictInput& input);

}  // namespace yatlab
