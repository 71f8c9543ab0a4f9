#pragma once

#include <optional>

#include "core/ops/operator.h"

namespace yatlab {

/// All numbers from `low` to `high`.
struct ScoreRange {
  double low = 0, high = 0;
};

/// An operator whose scores, before a bias is added, lie in a range whatever x and w are: the cosine's. That of yat depends on w.
class RangedOperator : public Operator {
 public:
  /// Nothing where its parameters leave none.
  virtual std::optional<ScoreRange> score_range() const = 0;
};

/// The range of any operator; nothing where it knows none.
inline std::optional<ScoreRange> score_range(const Operator& op) {
  const auto* ranged = dynamic_cast<const RangedOperator*>(&op);
  return ranged ? ranged->score_range() : std::nullopt;
}

}  // namespace yatlab
