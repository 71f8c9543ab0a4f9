#include "core/compose/arm_families.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace yatlab {
namespace {

/// Limit per arm, counting names in lists too: lists that each name lists twice would double at every step, even if empty.
constexpr std::size_t kMostOverrides = 10'000;

bool is_name(const Node& item) {
  if (!item.is_string()) return false;
  const auto& text = item.as_string();
  return !text.empty() && text.find('=') == std::string::npos && text[0] != '~' && text[0] != '+';
}

class Families {
 public:
  Families(const Node& arms, const Node& known, const Node& families) : arms_(arms), known_(known), families_(families) {}

  Node expanded(const std::string& name, const Node& list) {
    if (!list.is_list() || std::none_of(list.as_list().begin(), list.as_list().end(), is_name)) return list;
    Node out = Node::list();
    out.set_origin(list.origin());
    path_ = {name};
    seen_ = 0;
    append(list, out);
    return out;
  }

  const std::set<std::string>& used() const { return used_; }

 private:
  void append(const Node& list, Node& out) {
    for (const auto& item : list.as_list()) {
      if (++seen_ > kMostOverrides) {
        throw config_error(fmt::format("arm '{}' has more than {} overrides", path_.front(), kMostOverrides), item.origin().describe(),
                           "its lists refer to other lists, which refer to further lists");
      }
      if (!is_name(item)) {
        out.push_back(item);
      } else {
        const auto& name = item.as_string();
        const Node& named = list_called(item);
        path_.push_back(name);
        if (std::find(path_.begin(), path_.end() - 1, name) != path_.end() - 1) {
          throw config_error(fmt::format("arm '{}' is defined in terms of itself", path_.front()), item.origin().describe(),
                             join(path_, " -> "), "remove one of these names");
        }
        append(named, out);
        path_.pop_back();
      }
    }
  }

  const Node& list_called(const Node& item) {
    const auto& name = item.as_string();
    const Node* family = families_.find(name);
    const Node* arm = arms_.find(name);
    if (!arm) arm = known_.find(name);
    if (family && arm) {
      throw config_error(fmt::format("'{}' is both an arm and a family", shortened(name)), item.origin().describe(),
                         "it is ambiguous in the list of an arm", "give one of them a different name");
    }
    const Node* found = family ? family : arm;
    if (!found) {
      std::vector<std::string> names;
      for (const Node* all : {&families_, &arms_}) {
        for (const auto& [known, list] : all->as_map()) names.push_back(known);
      }
      names.erase(std::remove(names.begin(), names.end(), path_.front()), names.end());
      const auto near = nearest(name, names);
      throw config_error(
          fmt::format("arm '{}': '{}' is not an override, and there is no arm or family of that name", path_.front(), shortened(name)),
          item.origin().describe(), {},
          near.empty() ? "write key=value, or the name of another arm or of a family in `families`"
                       : fmt::format("did you mean '{}'?", near));
    }
    if (!found->is_list()) {
      throw config_error(
          fmt::format("{} '{}' must be a list of overrides, found {}", family ? "family" : "arm", name, shortened(found->to_flow())),
          found->origin().describe(), {}, "write it as [optimizer.lr=0.003, trainer.epochs=60]");
    }
    if (family) used_.insert(name);
    return *found;
  }

  const Node &arms_, &known_, &families_;
  std::vector<std::string> path_;
  std::size_t seen_ = 0;  // number of list entries for the arm being expanded
  std::set<std::string> used_;
};

}  // namespace

Node expand_arms(const Node& arms, const Node& known, const Node& families) {
  Families all(arms, known, families);
  Node out = Node::map();
  out.set_origin(arms.origin());
  for (const auto& [name, list] : arms.as_map()) out.set(name, all.expanded(name, list));
  for (const auto& [name, list] : families.as_map()) {
    if (all.used().count(name) > 0) continue;
    for (const auto& [arm, overrides] : known.as_map()) {
      if (!arms.has(arm)) all.expanded(arm, overrides);  // a removed arm
    }
    if (all.used().count(name) == 0) {
      throw config_error(fmt::format("family '{}' is not used by any arm", shortened(name)), list.origin().describe(),
                         "so it has no effect", fmt::format("add it to the list of an arm: [{}, operator=yat]", name));
    }
  }
  return out;
}

}  // namespace yatlab
