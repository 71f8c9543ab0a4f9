#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/metric_doc.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// What a measurement says about a number printed in the paper. The rule is in docs/results.md.
enum class Verdict { kReproduced, kConsistent, kBetter, kWorse, kDiffers, kInconclusive, kUndertrained, kNotComparable };

/// All of them, in the order in which summaries count them.
const std::vector<Verdict>& all_verdicts();
/// "reproduced", "consistent", "better", "worse", "differs", "inconclusive", "undertrained", "not comparable"
const char* to_string(Verdict verdict);
/// One-character mark for narrow places: ✓ ≈ ▲ ▼ ≠ ? … ∅
const char* mark(Verdict verdict);

/// The names that configs use: higher, lower, none.
const std::vector<std::pair<std::string, Direction>>& directions();

struct Judgement {
  Verdict verdict = Verdict::kInconclusive;
  std::string why;      ///< one sentence, with the numbers that decided
  bool fitted = false;  ///< reached under a protocol that was chosen because it gives the paper's numbers
};

/// "reproduced", or "reproduced, fitted" under a fitted protocol.
std::string verdict_name(const Judgement& judgement);

/// What the paper prints of several runs of its own: mean ± standard deviation over n seeds, or the value of each seed.
struct PaperSample {
  SampleSummary summary;            ///< n >= 2
  std::vector<double> values;       ///< of each seed, where they are printed
  std::vector<std::int64_t> seeds;  ///< whose they are, where that is known: runs of the same seed are paired
};

/// "84.27 ± 0.60 % (n = 3)", as printed; mean and deviation of values of seeds are rounded.
std::string sample_text(const PaperSample& sample, NumberFormat format, bool with_n = true);

/// What a verdict is judged from.
struct VerdictInput {
  Interval paper;                     ///< what the paper prints; a point for a single number, the mean of a sample
  std::optional<PaperSample> sample;  ///< of the paper's own runs: two samples are compared
  double tolerance = 0;               ///< how far from the paper's value still counts as the same
  std::vector<double> values;         ///< ours, one a seed, finite
  std::vector<std::int64_t> seeds;    ///< ours, as many; needed where `sample` has seeds
  Direction direction = Direction::kNone;
  bool deterministic = false;  ///< the value does not depend on the seed: one run is enough
  bool share = false;          ///< values are 0 or 1: intervals are Wilson's, and `sample` is one value
  std::size_t diverged = 0;    ///< seeds without a value because they diverged
  std::size_t not_finite = 0;  ///< seeds whose value is NaN or infinite
  std::size_t failed = 0;      ///< seeds that failed or have not finished
  /// Reasons why the run does not measure what the paper's row names ("substitute data: ..."). Any
  /// reason makes the verdict "not comparable".
  std::vector<std::string> not_comparable;
  std::optional<Judgement> unmet;  ///< a condition of the metric that does not hold: it is the verdict
  std::string fitted;              ///< why the protocol was chosen, when it was chosen by the paper's numbers
  std::string format = "number";   ///< how `why` prints values (a NumberFormat name)
};

/// The fewest seeds for any verdict, and for one of equality.
constexpr std::size_t kFewestSeeds = 3, kFewestForEquality = 5;

/// Applies the rule. The paper's region is its value (or range), wider by the tolerance on both sides. In this order:
///  1. a reason in `not_comparable` -> not comparable; then `unmet`;
///  2. fewer than 3 values (1 for a deterministic metric) -> inconclusive; so is a mean of survivors: a seed diverged, or its value is not finite;
///  3. a deterministic metric: in the region -> reproduced, else step 6;
///  4. five values or more, and the 90 % confidence interval of the mean lies in the region (two one-sided tests at 5 %) -> reproduced;
///  5. the mean lies in the region, or the paper's value within the 95 % prediction interval for one more run -> consistent, unless
///     that interval is wider than ten tolerances -> inconclusive;
///  6. the 95 % confidence interval of the mean lies outside the region -> better or worse by the metric's direction, or differs when it
///     has none;
///  7. else inconclusive.
///
/// With a `sample` of the paper these are intervals of the difference of two means, about the paper's: Welch's; Student's over pairs where each of its
/// seeds is one of ours, three or more. In step 5 its 95 % interval is that of one more run: the paper's mean lies in it where the test finds no difference.
Judgement judge(const VerdictInput& input);

}  // namespace yatlab
