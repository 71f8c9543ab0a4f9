#include "core/compose/removed_arms.h"

#include <algorithm>
#include <set>

namespace yatlab {
namespace {

using Names = std::vector<std::string>;

bool among(const Names& names, const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); }

void filter_list(Node* list, const Names& removed) {
  if (!list || !list->is_list()) return;
  auto& items = list->as_list();
  items.erase(
      std::remove_if(items.begin(), items.end(), [&](const Node& item) { return item.is_string() && among(removed, item.as_string()); }),
      items.end());
}

/// Drops the numbers of removed arms, and tolerances that no number uses any more.
void filter_paper(Node* paper, const Names& removed) {
  if (!paper || !paper->is_map()) return;
  std::set<std::string> metrics;
  auto& entries = paper->as_map();
  entries.erase(std::remove_if(entries.begin(), entries.end(),
                               [&](const auto& entry) { return among(removed, entry.first.substr(0, entry.first.find('@'))); }),
                entries.end());
  for (const auto& [key, values] : entries) {
    if (key == "tolerance" || key == "dataset" || key == "at" || key == "where" || key == "fitted" || key == "itself" || !values.is_map())
      continue;
    for (const auto& [metric, value] : values.as_map()) metrics.insert(metric);
  }
  if (Node* tolerance = paper->find("tolerance"); tolerance && tolerance->is_map()) {
    auto& all = tolerance->as_map();
    all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& entry) { return metrics.count(entry.first) == 0; }), all.end());
  }
}

/// Drops the contrasts of removed arms. Returns whether any is left.
bool filter_contrasts(Node* contrasts, const Names& removed) {
  if (!contrasts || !contrasts->is_map()) return false;
  auto& all = contrasts->as_map();
  const auto gone = [&](const auto& contrast) {
    return contrast.second.is_map() &&
           std::any_of(removed.begin(), removed.end(), [&](const auto& arm) { return contrast.second.find(arm) != nullptr; });
  };
  all.erase(std::remove_if(all.begin(), all.end(), gone), all.end());
  return !all.empty();
}

}  // namespace

void forget_arms(Node& experiment, const Names& removed) {
  if (removed.empty()) return;
  if (Node* labels = experiment.find("labels")) {
    for (const auto& arm : removed) labels->erase(arm);
  }
  filter_paper(experiment.find("paper"), removed);
  if (Node* tables = experiment.find("tables"); tables && tables->is_map()) {
    for (auto& [id, table] : tables->as_map()) {
      filter_paper(table.find("paper"), removed);
      filter_list(table.find("arms"), removed);
      if (const Node* baseline = table.find_path("compare.baseline");
          baseline && baseline->is_string() && among(removed, baseline->as_string())) {
        table.erase("compare");
      }
      if (Node* compare = table.find("compare"); compare && compare->is_map()) {
        if (Node* paper_words = compare->find("paper"); paper_words && paper_words->is_map()) {
          for (const auto& arm : removed) paper_words->erase(arm);
        }
        if (!filter_contrasts(compare->find("contrasts"), removed) && !compare->find("baseline")) table.erase("compare");
      }
    }
  }
  if (Node* figures = experiment.find("figures"); figures && figures->is_map()) {
    for (auto& [id, figure] : figures->as_map()) {
      if (!figure.is_map()) continue;  // figures.format, figures.width
      for (const char* list : {"arms", "references"}) filter_list(figure.find(list), removed);
    }
  }
}

}  // namespace yatlab
