#include "core/plan/check_points.h"
#include "core/record/point_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/override.h"

namespace yatlab {
namespace {

/// Whether the command line or the scale may have set or swept a key, so that the file is not to blame.
bool changed_here(const Plan& plan, const std::string& key) {
  if (!plan.scale.empty()) return true;
  return std::any_of(plan.overrides.begin(), plan.overrides.end(), [&](const std::string& text) {
    const auto other = parse_override(text, "command line").key;
    return other == key || key.rfind(other + ".", 0) == 0 || other.rfind(key + ".", 0) == 0 || other == "sweep" || other == "sweeper" ||
           other.rfind("sweep.", 0) == 0;
  });
}

/// Returns notices on values that this run does not have by its own choice.
std::vector<std::string> check_point(const Plan& plan, const Node::Map& at, const std::string& what) {
  std::vector<std::string> notices;
  for (const auto& [key, value] : at) {
    const auto report = [&, &name = key, &wanted = value](const std::string& why, const std::string& hint) {
      const auto text = fmt::format("{} is for {}={}, which this run does not have", what, name, wanted.to_flow());
      if (!changed_here(plan, name)) throw config_error(text, wanted.origin().describe(), why, hint);
      notices.push_back(fmt::format("{}: {}", text, why));
    };
    if (std::find(plan.swept.begin(), plan.swept.end(), key) == plan.swept.end()) {
      report(fmt::format("'{}' is not swept", key),
             plan.swept.empty() ? fmt::format("sweep it: {}=A,B", key) : suggestion(key, plan.swept));
      continue;
    }
    if (plan.search) continue;  // its points come one by one
    std::set<std::string> values;
    bool found = false;
    for (const auto& job : plan.jobs) {
      for (const auto& [name, own] : job.params) {
        if (name != key) continue;
        values.insert(own.to_flow());
        found = found || point_matches({{key, value}}, {{name, own}});
      }
    }
    if (!found) {
      const std::vector<std::string> known(values.begin(), values.end());
      report("it is swept over different values", "choices: " + shortened(join(known, ", ")));
    }
  }
  return notices;
}

bool any_job_has(const Plan& plan, const std::string& key) {
  std::set<std::string> arms;
  for (const auto& job : plan.jobs) {
    if (arms.insert(job.arm).second && job.config.find_path(key)) return true;
  }
  return plan.experiment.find_path(key) != nullptr;
}

}  // namespace

void check_points(Plan& plan, const ReportConfig& report) {
  const auto add = [](std::vector<std::string>& all, const std::vector<std::string>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const auto& table : report.tables) {
    if (table.at.is_map()) add(plan.notices, check_point(plan, table.at.as_map(), fmt::format("table '{}'", table.id)));
  }
  std::vector<std::string> numbers;
  for (const auto& number : report.paper) add(numbers, check_point(plan, number.at, fmt::format("the paper's number '{}'", number.id)));
  constexpr std::size_t kShown = 2;
  if (numbers.size() > kShown) {
    numbers.front() += fmt::format("; nor has it the points of {} more of the paper's {} numbers", numbers.size() - 1, report.paper.size());
    numbers.resize(1);
  }
  add(plan.notices, numbers);
  const Node* titles = plan.experiment.find("parameters");
  if (!titles || !titles->is_map()) return;
  for (const auto& [key, title] : titles->as_map()) {
    if (std::find(plan.swept.begin(), plan.swept.end(), key) != plan.swept.end() || any_job_has(plan, key) || changed_here(plan, key))
      continue;
    auto known = plan.swept;
    for (const auto& [other, value] : plan.jobs.front().config.as_map()) known.push_back(other);
    throw config_error(fmt::format("'parameters.{}' is not a key of any job", key), title.origin().describe(), {}, suggestion(key, known));
  }
}

}  // namespace yatlab
