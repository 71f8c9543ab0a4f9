#include "core/report/protocol_directions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/report/summary.h"

namespace yatlab {
namespace {

/// As the verdict on the paper has it (core/report/verdict_page.cpp).
constexpr double kMost = 0.9;

std::vector<std::string> arms_there(const Fitted& fitted, const std::string& arm) {
  const Node* named = fitted.arms.find(arm);
  if (!named) return {arm};
  if (!named->is_list()) return {named->as_string()};
  std::vector<std::string> out;
  for (const auto& name : named->as_list()) out.push_back(name.as_string());
  return out;
}

}  // namespace

void judge_over_protocols(ComparisonLine& line, const Fitted& fitted, const RunView* sweep) {
  if (fitted.sweep.empty()) return;
  const bool higher = line.paper.kind == PaperExpectation::Kind::kHigher;
  if (!higher && line.paper.kind != PaperExpectation::Kind::kLower) return;
  if (line.verdict.rfind("…", 0) == 0) return;
  std::size_t all = 0, as_said = 0;
  if (sweep) {
    for (const auto& baseline : arms_there(fitted, line.baseline)) {
      for (const auto& arm : arms_there(fitted, line.arm)) {
        for (const auto& point : sweep->points_of(arm)) {
          const auto own = sweep->sample(arm, point, line.metric);
          const auto other = sweep->sample(baseline, sweep->point_of(baseline, point).value_or(point), line.metric);
          if (own.values.empty() || other.values.empty()) continue;
          const double difference = mean(own.values) - mean(other.values);
          ++all;
          as_said += difference != 0 && (difference > 0) == higher;
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
  const double share = static_cast<double>(as_said) / static_cast<double>(all);
  line.why = fmt::format("{} in {} of {} protocols{}", higher ? "higher" : "lower", as_said, all,
                         opposite ? "; under the fitted one the other way round" : "");
  line.verdict = share >= kMost ? "✓ same direction" : share <= 1 - kMost + 1e-12 ? "▼ opposite direction" : "? depends on the protocol";
}

namespace {

/// What an entry of a summary is about, apart from what it says.
std::string subject_of(const nlohmann::ordered_json& entry) {
  std::string out;
  for (const char* key : {"id", "table", "metric", "arm", "arms", "contrast", "at", "baseline_at"}) {
    if (entry.contains(key)) out += dump_json(entry.at(key)) + "\n";
  }
  return out;
}

/// Adds the entries of `before` that are about something else: a run that is not here takes nothing away, whatever its experiment has become.
void keep_others(nlohmann::ordered_json& now, const nlohmann::ordered_json& before) {
  std::set<std::string> subjects;
  for (const auto& entry : now) subjects.insert(subject_of(entry));
  for (const auto& entry : before) {
    if (subjects.count(subject_of(entry)) == 0) now.push_back(entry);
  }
}

}  // namespace

void rewrite_judgements(const fs::path& path, const RunView& run, const ReportConfig& config, const RunView* sweep) {
  auto summary = parse_ordered_json(read_json_text(path));
  auto now = build_summary(run, config);
  if (config.fitted) {
    for (auto& entry : now["comparisons"]) {
      if (!entry.contains("paper") || !entry["paper"].is_string() || !entry.contains("arms")) continue;
      ComparisonLine line;
      line.metric = text_in(entry, "metric");
      line.arm = entry["arms"][0].get<std::string>();
      line.baseline = entry["arms"][1].get<std::string>();
      line.paper.kind = entry["paper"] == "higher"  ? PaperExpectation::Kind::kHigher
                        : entry["paper"] == "lower" ? PaperExpectation::Kind::kLower
                                                    : PaperExpectation::Kind::kDiverges;
      const auto direction = text_in(entry, "direction");
      const char* mark = direction == "opposite direction" ? "▼ " : direction == "undertrained" ? "… " : "? ";
      line.verdict = mark + direction;
      judge_over_protocols(line, *config.fitted, sweep);
      entry["direction"] = line.verdict.substr(line.verdict.find(' ') + 1);
      if (!line.why.empty()) entry["why"] = line.why;
    }
  }
  for (const char* list : {"comparisons", "paper"}) keep_others(now[list], summary[list]);
  summary["comparisons"] = std::move(now["comparisons"]);
  summary["paper"] = std::move(now["paper"]);
  write_file_atomic(path, dump_json_replacing(summary, 2) + "\n");
}

}  // namespace yatlab
