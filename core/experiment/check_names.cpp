#include "core/experiment/check_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/experiment/analysis.h"
#include "core/report/plot.h"

namespace yatlab {
namespace {

using Arms = std::map<std::string, ArmNames>;
using Names = std::set<std::string> ArmNames::*;

/// The named arms, or all.
ArmNames together(const Arms& arms, const std::vector<std::string>& wanted) {
  ArmNames out;
  for (const auto& [arm, names] : arms) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), arm) != wanted.end()) out.add(names);
  }
  return out;
}

/// The string `text` below `node`, for its place in the file; else `node` itself.
const Node& place_of(const Node& node, const std::string& text) {
  if (node.is_list()) {
    for (const auto& item : node.as_list()) {
      const Node& found = place_of(item, text);
      if (found.is_string()) return found;
    }
  }
  if (node.is_map()) {
    for (const auto& [key, item] : node.as_map()) {
      if (key == text) return item;
      const Node& found = place_of(item, text);
      if (found.is_string()) return found;
    }
  }
  return node;
}

void require(const Arms& arms, const std::vector<std::string>& wanted, Names kind, const char* what, const std::string& name, const Node& node,
             const std::string& path) {
  const auto names = together(arms, wanted);
  if (!names.known || (names.*kind).count(name)) return;
  const auto& made = names.*kind;
  std::string hint = suggestion(name, {made.begin(), made.end()});
  if (hint.empty() && (kind == &ArmNames::results) && names.history.count(name)) hint = "it is only logged while training: figures of kind learning_curves show it";
  if (hint.empty() && name.rfind("train/", 0) == 0 && made.count("test" + name.substr(5))) hint = "set trainer.eval_train=true";
  if (hint.empty() && !made.empty()) hint = "choose one of " + join({made.begin(), made.end()}, ", ");
  throw config_error(fmt::format("{}: {} makes the {} '{}'", path, wanted.size() == 1 ? "arm '" + wanted[0] + "' never" : "no arm", what, name),
                     place_of(node, name).origin().describe(),
                     fmt::format("it would stay empty{}", made.empty() ? fmt::format("; there are no {}s at all", what) : ""), hint);
}

}  // namespace

std::vector<std::string> check_names(const Node& experiment, const ReportConfig& report, const Arms& arms) {
  const Node& tables = experiment.at("tables");
  for (const auto& table : report.tables) {
    const Node& node = tables.at(table.id);
    const std::string path = "tables." + table.id;
    for (const auto& column : table.columns) {
      require(arms, table.arms, &ArmNames::results, "metric", column.metric, node.at("columns"), path + ".columns");
    }
    if (!table.compare) continue;
    for (const auto& metric : table.compare->metrics) {
      require(arms, table.arms, &ArmNames::results, "metric", metric, node.at("compare"), path + ".compare");
    }
  }
  for (const auto& number : report.paper) {
    const Node* own = number.own ? tables.at(number.table).find("paper") : nullptr;
    require(arms, {number.arm}, &ArmNames::results, "metric", number.metric, own ? *own : experiment.at("paper"),
            (own ? "tables." + number.table + ".paper." : std::string("paper.")) + number.arm);
  }
  for (const auto& figure : report.figures) {
    const Node& node = experiment.at("figures").at(figure.id);
    const std::string path = "figures." + figure.id;
    const auto needs = Registry<Plot>::create(figure.params)->needs();
    for (const auto& arm : needs.arms) {
      if (arms.count(arm)) continue;
      std::vector<std::string> known;
      for (const auto& [name, made] : arms) known.push_back(name);
      throw config_error(fmt::format("'{}.arms' names no arm of the experiment: '{}'", path, arm), place_of(node, arm).origin().describe(), {},
                         suggestion(arm, known));
    }
    for (const auto& name : needs.results) require(arms, needs.arms, &ArmNames::results, "metric", name, node, path);
    for (const auto& name : needs.history) require(arms, needs.arms, &ArmNames::history, "metric", name, node, path);
    for (const auto& name : needs.artifacts) require(arms, needs.arms, &ArmNames::artifacts, "artifact", name, node, path);
  }
  std::vector<std::string> notices;
  const auto all = together(arms, {});
  if (!all.known) return notices;
  for (const auto& [name, info] : report.metrics) {
    if (all.results.count(name) || all.history.count(name)) continue;
    notices.push_back(fmt::format("metrics.{} describes what no arm measures", name));
  }
  return notices;
}

}  // namespace yatlab
