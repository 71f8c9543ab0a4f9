#include "core/table/protocol_directions.h"

#include <fmt/format.h>

#include <cmath>

#include "core/verdict/statistics.h"

namespace yatlab {
AmongProtocols among_protocols(std::size_t count, std::size_t all) {
  constexpr double kNearlyAllShare = 0.9;
  const double share = static_cast<double>(count) / static_cast<double>(all);
  return share >= kNearlyAllShare               ? AmongProtocols::kNearlyAll
         : share <= 1 - kNearlyAllShare + 1e-12 ? AmongProtocols::kNearlyNone
                                                : AmongProtocols::kSome;
}

void judge_over_protocols(ComparisonLine& line, const Fitted& fitted, const RunView* sweep) {
  const bool higher = line.paper.kind == PaperExpectation::Kind::kHigher;
  if (!higher && line.paper.kind != PaperExpectation::Kind::kLower) return;
  if (!fitted.covers(line.arm) && !fitted.covers(line.baseline)) return;
  if (line.verdict == direction::kUndertrained) return;
  std::size_t all = 0, as_claimed = 0;
  if (sweep) {
    for (const auto& baseline : fitted.arms_of(line.baseline)) {
      for (const auto& arm : fitted.arms_of(line.arm)) {
        for (const auto& point : sweep->points_of(arm)) {
          const auto own = sweep->sample(arm, point, line.metric);
          const auto other = sweep->sample(baseline, sweep->point_of(baseline, point).value_or(point), line.metric);
          if (own.values.empty() || other.values.empty()) continue;
          const double difference = mean(own.values) - mean(other.values);
          ++all;
          as_claimed += difference != 0 && (difference > 0) == higher;
        }
      }
    }
  }
  if (all == 0) {
    const bool elsewhere = !sweep && !fitted.sweep.empty();
    line.why = fmt::format("{}this one gives: {}",
                           sweep       ? "the recorded protocols did not measure it; "
                           : elsewhere ? "the paper's report judges it over all protocols of " + fitted.sweep + "; "
                                       : "",
                           line.verdict);
    line.verdict = direction::kOneProtocol;
    return;
  }
  line.why = fmt::format("{} in {} of {} protocols{}", higher ? "higher" : "lower", as_claimed, all,
                         line.verdict == direction::kOpposite ? "; under the fitted one the other way round" : "");
  const auto found = among_protocols(as_claimed, all);
  line.verdict = found == AmongProtocols::kNearlyAll    ? direction::kSame
                 : found == AmongProtocols::kNearlyNone ? direction::kOpposite
                                                        : direction::kDepends;
}

}  // namespace yatlab
