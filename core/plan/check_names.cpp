#include "core/plan/check_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/table/plot.h"

namespace yatlab {
namespace {

using Names = std::set<std::string> ArmNames::*;

/// The names of the `wanted` arms, or of all.
ArmNames together(const MeasuredArms& arms, const std::vector<std::string>& wanted) {
  ArmNames out;
  for (const auto& [arm, names] : arms) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), arm) != wanted.end()) out.add(names);
  }
  return out;
}

/// Where `text` is below `node`, as a value or as a key; nullptr if absent.
const Node* find_text(const Node& node, const std::string& text) {
  if (node.is_string()) return node.as_string() == text ? &node : nullptr;
  if (node.is_list()) {
    for (const auto& item : node.as_list()) {
      if (const Node* found = find_text(item, text)) return found;
    }
  }
  if (node.is_map()) {
    for (const auto& [key, item] : node.as_map()) {
      if (key == text) return &item;
      if (const Node* found = find_text(item, text)) return found;
    }
  }
  return nullptr;
}

/// The place of `text` below `node` in its file, or else that of `node`.
std::string place_of(const Node& node, const std::string& text) {
  const Node* found = find_text(node, text);
  return (found ? *found : node).origin().describe();
}

/// Looks names up, and collects those that only this run lacks.
class Lookup {
 public:
  Lookup(const MeasuredArms& arms, const std::function<MeasuredArms()>& as_written) : arms_(arms), as_written_(as_written) {}

  void require(const std::vector<std::string>& wanted, Names kind, const char* what, const std::string& name, const Node& node,
               const std::string& path) {
    const auto names = together(arms_, wanted);
    const auto& made = names.*kind;
    if (!names.known || made.count(name)) return;
    if (!written_) written_ = as_written_();
    // Arms removed from the experiment are no longer in the table's list: any of them may have measured the name.
    auto in_file = wanted;
    if (!wanted.empty()) {
      for (const auto& [arm, unused] : *written_) {
        if (!arms_.count(arm)) in_file.push_back(arm);
      }
    }
    if (const auto file = together(*written_, in_file); !written_->empty() && (!file.known || (file.*kind).count(name))) {
      auto& list = lacking_[path];
      if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
      return;
    }
    std::string hint = suggestion(name, {made.begin(), made.end()});
    if (hint.empty() && kind == &ArmNames::results && names.history.count(name)) {
      hint = "it is only logged during training: use a figure of kind learning_curves";
    }
    if (hint.empty() && name.rfind("train/", 0) == 0 && made.count("test" + name.substr(5))) hint = "set trainer.eval_train=true";
    throw config_error(
        fmt::format("{}: {} produces the {} '{}'", path, wanted.size() == 1 ? "arm '" + wanted[0] + "' never" : "no arm", what, name),
        place_of(node, name), fmt::format("it would stay empty{}", made.empty() ? fmt::format("; there are no {}s at all", what) : ""),
        hint);
  }

  std::vector<std::string> notices() const {
    std::vector<std::string> out;
    for (const auto& [path, names] : lacking_) out.push_back(fmt::format("{}: nothing in this run produces {}", path, join(names, ", ")));
    return out;
  }

 private:
  const MeasuredArms& arms_;
  const std::function<MeasuredArms()>& as_written_;
  std::optional<MeasuredArms> written_;
  std::map<std::string, std::vector<std::string>> lacking_;  // by path
};

}  // namespace

std::vector<std::string> check_names(const Node& experiment, const ReportConfig& report, const MeasuredArms& arms,
                                     const std::function<MeasuredArms()>& as_written) {
  Lookup lookup(arms, as_written);
  const Node& tables = experiment.at("tables");
  for (const auto& table : report.tables) {
    const Node& node = tables.at(table.id);
    const std::string path = "tables." + table.id;
    if (!table.best_by.empty()) lookup.require(table.arms, &ArmNames::results, "metric", table.best_by, node, path + ".best_by");
    for (const auto& column : table.columns) {
      lookup.require(table.arms, &ArmNames::results, "metric", column.metric, node.at("columns"), path + ".columns");
    }
    if (!table.compare) continue;
    for (const auto& metric : table.compare->metrics) {
      lookup.require(table.arms, &ArmNames::results, "metric", metric, node.at("compare"), path + ".compare");
    }
    for (const auto& condition : table.compare->requirements) {
      lookup.require(table.arms, &ArmNames::results, "metric", condition.metric, node.at("compare"), path + ".compare.requires");
    }
  }
  for (const auto& number : report.paper) {
    const Node* own = number.own ? tables.at(number.table).find("paper") : nullptr;
    lookup.require({number.arm}, &ArmNames::results, "metric", number.metric, own ? *own : experiment.at("paper"),
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
      throw config_error(fmt::format("'{}.arms' refers to an unknown arm: '{}'", path, arm), place_of(node, arm), {},
                         suggestion(arm, known));
    }
    for (const auto& name : needs.results) lookup.require(needs.arms, &ArmNames::results, "metric", name, node, path);
    for (const auto& name : needs.history) lookup.require(needs.arms, &ArmNames::history, "metric", name, node, path);
    for (const auto& name : needs.artifacts) lookup.require(needs.arms, &ArmNames::artifacts, "artifact", name, node, path);
  }
  auto notices = lookup.notices();
  const auto all = together(arms, {});
  if (!all.known) return notices;
  for (const auto& [name, info] : report.metrics) {
    for (const auto& condition : info.requirements) {
      if (!all.results.count(condition.metric))
        notices.push_back(fmt::format("metrics.{}.requires: no arm produces {}, so nothing is decided", name, condition.metric));
    }
    if (all.results.count(name) || all.history.count(name)) continue;
    notices.push_back(fmt::format("metrics.{} describes a metric that no arm measures", name));
  }
  return notices;
}

}  // namespace yatlab
