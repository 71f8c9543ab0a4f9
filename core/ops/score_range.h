#pragma once

#include <optional>

#include "core/ops/operator.h"

namespace yatlab {

/// The interval from `low` to `high`.
struct ScoreRange {
  double low = 0, high = 0;
};

/// An operator whose scores, before a bias is added, are in a range that does not depend on x and w, such as the cosine. The range of yat depends on
/// w.
class RangedOperator : public Operator {
 public:
  /// Nothing where its parameters allow no such range.
  virtual std::optional<ScoreRange> score_range() const = 0;
};

/// The range of any operator; nothing if it has none.
inline std::optional<ScoreRange> score_range(const Operator& op) {
  const auto* ranged = dynamic_cast<const RangedOperator*>(&op);
  return ranged ? ranged->score_range() : std::nullopt;
}

}  // namespace yatlab
