#pragma once

#include <optional>
#include <string>
#include <vector>

namespace yatlab {

/// What a measurement says about a number printed in the paper. The rule is in docs/results.md.
enum class Verdict { kReproduced, kBetter, kWorse, kDiffers, kInconclusive, kNotComparable };

/// "reproduced", "better", "worse", "differs", "inconclusive", "not comparable"
const char* to_string(Verdict verdict);
/// One-character mark for narrow places: ✓ ▲ ▼ ≠ ? ∅
const char* mark(Verdict verdict);

/// Which way a metric is good. Metrics without a direction (a norm's change, a learned scale) cannot be
/// better or worse than the paper's: they "differ".
enum class Direction { kHigher, kLower, kNone };

/// What a verdict is judged from.
struct VerdictInput {
  double paper = 0;
  double tolerance = 0;        ///< how far from the paper's value still counts as the same
  std::vector<double> values;  ///< ours, one a seed, finite
  Direction direction = Direction::kNone;
  bool deterministic = false;  ///< no seed enters: one value is enough
  std::size_t diverged = 0;    ///< seeds without a value because they diverged
  std::size_t failed = 0;      ///< seeds that failed or have not finished
  /// Reasons why the run does not measure what the paper's row names ("substitute data: ..."). Any
  /// reason makes the verdict "not comparable".
  std::vector<std::string> not_comparable;
  std::string format = "number";  ///< how `why` prints values (a NumberFormat name)
};

struct Judgement {
  Verdict verdict = Verdict::kInconclusive;
  std::string why;  ///< one sentence, with the numbers that decided
};

/// Applies the rule, in this order:
///  1. a reason in `not_comparable` -> not comparable;
///  2. fewer than 3 values (1 for a deterministic metric) -> inconclusive;
///  3. |mean - paper| <= tolerance, or paper within the 95 % prediction interval for one more run
///     -> reproduced, unless that interval is wider than ten tolerances -> inconclusive;
///  4. else better or worse by the metric's direction, or differs when it has none.
Judgement judge(const VerdictInput& input);

}  // namespace yatlab
