#include "core/table/unmet_requirements.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace yatlab {

std::optional<Unmet> unmet_by(const RunView& run, const ReportConfig& config, const std::vector<Requirement>& requirements,
                              const std::string& arm, const Node::Map& point) {
  for (const auto& wanted : requirements) {
    const auto sample = run.sample(arm, point, wanted.metric);
    const auto& values = sample.values;
    const auto who = config.arm_label(arm);
    if (!sample.not_finite.empty())
      return Unmet{Requirement::Else::kUndecided, fmt::format("{} of {} is {}", wanted.metric, who, not_finite_text(sample))};
    if (values.empty()) return Unmet{Requirement::Else::kUndecided, fmt::format("{} of {} was not measured", wanted.metric, who)};
    const auto failing = std::find_if(values.begin(), values.end(), [&](double v) { return !wanted.holds(v); });
    if (failing == values.end()) continue;
    // The worst seed decides for the arm.
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double worst = wanted.at_least && *low < *wanted.at_least ? *low : *high;
    const auto text = [](double v) { return format_exact(v, NumberFormat::kNumber); };
    if (wanted.because.empty()) {
      const bool small = wanted.at_least && worst < *wanted.at_least;
      return Unmet{wanted.otherwise, fmt::format("{} of {} is {}, not at {} {}", wanted.metric, who, text(worst), small ? "least" : "most",
                                                 text(small ? *wanted.at_least : *wanted.at_most))};
    }
    std::string because = wanted.because;
    for (const auto& [name, value] : {std::pair<std::string, double>{"{value}", worst}, {"{next}", worst + 1}}) {
      for (auto at = because.find(name); at != std::string::npos; at = because.find(name)) because.replace(at, name.size(), text(value));
    }
    return Unmet{wanted.otherwise, who + " " + because};
  }
  return std::nullopt;
}

}  // namespace yatlab
