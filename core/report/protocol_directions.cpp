#include "core/report/protocol_directions.h"

#include <fmt/format.h>

#include <cmath>

#include "core/verdict/statistics.h"

namespace yatlab {
namespace {

std::vector<std::string> arms_there(const Fitted& fitted, const std::string& arm) {
  const Node* named = fitted.arms.find(arm);
  if (!named) return {arm};
  if (!named->is_list()) return {named->as_string()};
  std::vector<std::string> out;
  for (const auto& name : named->as_list()) out.push_back(name.as_string());
  return out;
}

}  // namespace

AmongProtocols among_protocols(std::size_t count, std::size_t all) {
  constexpr double kNearlyAllShare = 0.9;
  const double share = static_cast<double>(count) / static_cast<double>(all);
  return share >= kNearlyAllShare               ? AmongProtocols::kNearlyAll
         : share <= 1 - kNearlyAllShare + 1e-12 ? AmongProtocols::kNearlyNone
                                                : AmongProtocols::kSome;
}

void judge_over_protocols(ComparisonLine& line, const Fitted& fitted, const RunView* sweep) {
  if (fitted.sweep.empty()) return;
  const bool higher = line.paper.kind == PaperExpectation::Kind::kHigher;
  if (!higher && line.paper.kind != PaperExpectation::Kind::kLower) return;
  if (line.verdict.rfind("…", 0) == 0) return;
  std::size_t all = 0, as_claimed = 0;
  if (sweep) {
    for (const auto& baseline : arms_there(fitted, line.baseline)) {
      for (const auto& arm : arms_there(fitted, line.arm)) {
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
  const bool opposite = line.verdict.rfind("▼", 0) == 0;
  if (all == 0) {
    line.why =
        fmt::format("the recorded protocols did not measure it; the fitted one gives {}", line.verdict.substr(line.verdict.find(' ') + 1));
    line.verdict = "? one fitted protocol";
    return;
  }
  line.why = fmt::format("{} in {} of {} protocols{}", higher ? "higher" : "lower", as_claimed, all,
                         opposite ? "; under the fitted one the other way round" : "");
  const auto found = among_protocols(as_claimed, all);
  line.verdict = found == AmongProtocols::kNearlyAll    ? "✓ same direction"
                 : found == AmongProtocols::kNearlyNone ? "▼ opposite direction"
                                                        : "? depends on the protocol";
}

}  // namespace yatlab
