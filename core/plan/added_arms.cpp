#include "core/plan/added_arms.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/experiment/report_config.h"
#include "core/table/plot.h"

namespace yatlab {
namespace {

using ArmList = std::vector<std::string>;

/// Whether the command line sets the node at `path`, or one that contains it.
bool is_given(const std::vector<Override>& command_line, const std::string& path) {
  return std::any_of(command_line.begin(), command_line.end(), [&](const Override& o) {
    return o.key == path || (path.size() > o.key.size() && path[o.key.size()] == '.' && path.compare(0, o.key.size(), o.key) == 0);
  });
}

/// The list of arms of a table or figure that accepts more; null if there is no list, which means all arms.
Node* open_list(Node& entry, const std::string& path, const std::vector<Override>& command_line) {
  if (!entry.is_map()) return nullptr;  // figures.format, figures.width
  Node* list = entry.find("arms");
  if (!list || !list->is_list() || list->size() == 0 || is_given(command_line, path + ".arms")) return nullptr;
  const Node* open = entry.find("added_arms");
  return open && open->is_bool() && !open->as_bool() ? nullptr : list;
}

bool lists_arm(const Node& list, const std::string& arm) {
  const auto& items = list.as_list();
  return std::any_of(items.begin(), items.end(), [&](const Node& item) { return item.is_string() && item.as_string() == arm; });
}

/// The names in `wanted` that are not in `made`.
ArmList lacking(const ArmList& wanted, const std::set<std::string>& made) {
  ArmList out;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(out), [&](const std::string& name) { return made.count(name) == 0; });
  return out;
}

}  // namespace

ArmList join_added_arms(Node& experiment, const ArmList& added, const std::vector<Override>& command_line, const MeasuredArms& measured,
                        const std::function<const Node&(const std::string& arm)>& config_of) {
  ArmList notices;
  if (added.empty()) return notices;
  const auto report = ReportConfig::read(experiment);
  const auto left_out = [&](const std::string& path, const std::string& arm, const std::string& why) {
    notices.push_back(fmt::format("{}: arm '{}' is left out: {}", path, arm, why));
  };
  for (const auto& table : report.tables) {
    const auto path = "tables." + table.id;
    Node* list = open_list(*experiment.find("tables")->find(table.id), path, command_line);
    if (!list) continue;
    ArmList columns;
    for (const auto& column : table.columns) columns.push_back(column.metric);
    for (const auto& arm : added) {
      const auto& names = measured.at(arm);
      if (lists_arm(*list, arm)) continue;
      if (names.known && lacking(columns, names.results).size() == columns.size()) {
        left_out(path, arm, "it measures none of " + join(columns, ", "));
      } else {
        list->push_back(arm);
      }
    }
  }
  for (const auto& figure : report.figures) {
    const auto path = "figures." + figure.id;
    Node& entry = *experiment.find("figures")->find(figure.id);
    Node* list = open_list(entry, path, command_line);
    if (!list) continue;
    const auto needs = Registry<Plot>::create(figure.params)->needs();
    for (const auto& arm : added) {
      if (lists_arm(*list, arm)) continue;
      const auto& names = measured.at(arm);
      ArmList missing = lacking(needs.results, names.results);
      for (const auto& more : {lacking(needs.history, names.history), lacking(needs.artifacts, names.artifacts)})
        missing.insert(missing.end(), more.begin(), more.end());
      if (names.known && !missing.empty()) {
        left_out(path, arm, "it does not produce " + join(missing, ", "));
        continue;
      }
      const Node* place = needs.along.empty() ? nullptr : config_of(arm).find_path(needs.along);
      if (needs.along.empty() || (place && place->is_number())) {
        list->push_back(arm);
      } else if (Node* levels = entry.find("references"); levels && levels->is_list()) {
        if (!lists_arm(*levels, arm)) levels->push_back(arm);
      } else {
        left_out(path, arm, fmt::format("it has no number at {}", needs.along));
      }
    }
  }
  return notices;
}

}  // namespace yatlab
