#include "core/plan/sweep_guards.h"

#include "core/experiment/experiment_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/compose/identity.h"
#include "core/system/shell.h"

namespace yatlab {
namespace {

bool steers(const std::string& key) {
  const Field* field = experiment_field(key);
  return key.rfind("trainer.", 0) == 0 && field && field->steers;
}

std::string head_of_key(const std::string& key) { return key.substr(0, key.find_first_of("./")); }

/// The key at the top of a config that an override sets; "" when a group's files go to the top.
std::string top_key(const Override& o) { return head_of_key(o.has_package ? o.package : o.key); }

/// "a=1, then a=2, then a=3" for one key's overrides; long lists are cut.
std::string one_after_the_other(const std::vector<Override>& values) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> texts;
  for (const auto& o : values) {
    if (texts.size() == kShown) break;
    texts.push_back(o.text);
  }
  return join(texts, ", then ") + (values.size() > kShown ? ", ..." : "");
}

std::vector<Override> values_of(const Dimension& dimension, const std::string& address) {
  std::vector<Override> out;
  for (const auto& position : dimension.positions) {
    for (const auto& o : position) {
      if (o.address() == address) out.push_back(o);
    }
  }
  return out;
}

Node values_as_list(const std::vector<Override>& values) {
  Node out = Node::list();
  for (const auto& o : values) out.push_back(o.value);
  return out;
}

/// `"+arms.a=['operator=yat']" "+arms.b=[...]"`: shell arguments.
std::string arms_instead(const std::vector<std::pair<std::string, Node>>& arms) {
  std::vector<std::string> out;
  for (const auto& [name, overrides] : arms) out.push_back(fmt::format("\"+{}\"", format_override("arms." + name, overrides)));
  return join(out, " ");
}

std::string hint_instead(const Override& first, const std::vector<Override>& values) {
  const auto top = top_key(first);
  if (top == "seeds" || top == "claims") return fmt::format("write {}", format_override(top, values_as_list(values)));
  if (top == "analyses" && first.key == "analyses") {
    Node all = Node::list();
    for (const auto& o : values) {
      for (const auto& item : o.value.is_list() ? o.value.as_list() : Node::List{o.value}) {
        if (std::find(all.as_list().begin(), all.as_list().end(), item) == all.as_list().end()) all.push_back(item);
      }
    }
    return fmt::format("list all of them: {}", format_override(top, all));
  }
  if (top == "sweep") return "sweep over its keys instead";
  const auto dot = first.key.find('.');
  const bool whole_arms = top == "arms" && dot != std::string::npos &&
                          std::all_of(values.begin(), values.end(), [](const Override& o) { return o.value.is_list(); });
  if (!whole_arms) return "run one after the other: " + one_after_the_other(values);
  const auto name = first.key.substr(dot + 1);
  std::vector<std::pair<std::string, Node>> arms;
  for (const auto& o : values) arms.emplace_back(fmt::format("{}_{}", name, arms.size() + 1), o.value);
  const bool there = first.kind == OverrideKind::kChange;
  return fmt::format("write {}{}", there ? fmt::format("'~arms.{}' ", name) : "", arms_instead(arms));
}

/// The address of the component that an override chooses: "operator" for operator=yat and operator.name=yat; "" if it chooses none.
std::string chosen_by(const Override& o) {
  std::string address = o.address();
  const std::string name = ".name";
  if (address.size() > name.size() && address.compare(address.size() - name.size(), name.size(), name) == 0) {
    address.resize(address.size() - name.size());
  }
  return o.key.find('.') == std::string::npos || address.find('.') == std::string::npos ? address : "";
}

/// Definitions of arms for the values that no arm has yet.
std::string arms_for(const std::vector<Override>& values, const std::vector<Arm>& arms) {
  std::vector<std::pair<std::string, Node>> out;
  for (const auto& o : values) {
    const auto has = [&](const Arm& arm) {
      return std::any_of(arm.overrides.begin(), arm.overrides.end(),
                         [&](const Override& own) { return chosen_by(own) == chosen_by(o) && own.value == o.value; });
    };
    if (std::any_of(arms.begin(), arms.end(), has)) continue;
    std::string name = o.value.is_string() ? safe_file_name(o.value.as_string()) : "variant";
    const auto taken = [&](const std::string& candidate) {
      return std::any_of(arms.begin(), arms.end(), [&](const Arm& arm) { return arm.name == candidate; }) ||
             std::any_of(out.begin(), out.end(), [&](const auto& arm) { return arm.first == candidate; });
    };
    for (int i = 2; taken(name); ++i) name = fmt::format("{}_{}", o.value.is_string() ? safe_file_name(o.value.as_string()) : "variant", i);
    out.emplace_back(name, Node(Node::List{Node(o.text)}));
  }
  return arms_instead(out);
}

/// The first place where two configs differ.
const Node& first_difference(const Node& changed, const Node& base) {
  if (!changed.is_map() || !base.is_map()) return changed;
  for (const auto& [key, value] : changed.as_map()) {
    const Node* other = base.find(key);
    if (!other || *other != value) return other ? first_difference(value, *other) : value;
  }
  return changed;
}

std::string label_of(const SweepPoint& point) {
  if (point.empty()) return "the point without it";
  std::vector<std::string> out;
  for (const auto& o : point) out.push_back(o.text);
  return join(out, ", ");
}

/// The overrides of `point` that `other` does not have.
SweepPoint differing(const SweepPoint& point, const SweepPoint& other) {
  SweepPoint out;
  for (const auto& o : point) {
    if (std::none_of(other.begin(), other.end(), [&](const Override& p) { return p.text == o.text; })) out.push_back(o);
  }
  return out;
}

std::string why_idle(const std::vector<std::string>& keys, const Override& example, const JobType& type) {
  const auto top = top_key(example);
  const auto listed = "'" + join(keys, "', '") + "'";
  if (keys.size() == 1 && steers(keys.front())) return fmt::format("{} controls a run without changing its results", listed);
  if (keys.size() == 1 && only_shown(top)) return fmt::format("{} only changes how results are shown", listed);
  if (keys.size() == 1 && !can_decide_results(example, type)) {
    return fmt::format("{} does not depend on {}", type.activity(), listed);
  }
  return "after all overrides the arm's configuration is the same at both";
}

}  // namespace

void refuse_to_sweep_the_run(const ComposedExperiment& composed) {
  for (const auto& dimension : composed.dimensions()) {
    for (const auto& key : dimension.keys()) {
      const auto values = values_of(dimension, key);
      const char* why = only_shown(top_key(values.front())) ? nullptr : once_in_a_run(top_key(values.front()));
      if (!why) continue;
      for (const auto& o : values) {
        if (key == "scale" && o.value.is_string())
          composed.overrides_of_scale(o.value.as_string(), o.origin);  // throws for an unknown scale
      }
      throw config_error(fmt::format("'{}' cannot be swept", key), dimension.origin.describe(), why, hint_instead(values.front(), values));
    }
  }
}

void refuse_to_replace_an_arm(const ComposedExperiment& composed, const std::vector<Arm>& arms) {
  const auto own_choice = [&](const Arm& arm, const Override& given) -> const Override* {
    const auto choice = chosen_by(given);
    if (choice.empty() || given.kind == OverrideKind::kExtend) return nullptr;
    const auto it = std::find_if(arm.overrides.begin(), arm.overrides.end(), [&](const Override& own) { return chosen_by(own) == choice; });
    return it == arm.overrides.end() ? nullptr : &*it;
  };
  for (const auto& arm : arms) {
    for (const auto& given : composed.command_line()) {
      const Override* own = given.is_sweep() ? nullptr : own_choice(arm, given);
      if (!own) continue;
      throw config_error(
          fmt::format("'{}' would replace the component that defines arm '{}'", given.text, arm.name), "command line",
          fmt::format("the arm itself sets {}", own->text),
          fmt::format("change the arm (\"arms.{}=['{}']\"), or add one (\"+arms.mine=['{}']\")", arm.name, given.text, given.text));
    }
    for (const auto& dimension : composed.dimensions()) {
      for (const auto& key : dimension.keys()) {
        const auto values = values_of(dimension, key);
        const Override* own = own_choice(arm, values.front());
        if (!own) continue;
        const auto instead = arms_for(values, arms);
        throw config_error(fmt::format("the sweep over '{}' would replace the component that defines arm '{}'", key, arm.name),
                           dimension.origin.describe(), fmt::format("the arm itself sets {}", own->text),
                           instead.empty() ? "every value already has an arm: remove the sweep" : "add arms in its place: " + instead);
      }
    }
  }
}

namespace {

/// The override that sets what the run shows, for all points; "" if it is not a short text.
std::string one_for_all(const std::string& key, const Node& shown) {
  constexpr std::size_t kShort = 80;
  if (!shown.is_string() || shown.as_string().size() > kShort) return {};
  return "; or use the same value for all points: " + shell_word(format_override(key, shown));
}

/// The replacement for a sweep over a group whose option the point chooses; "" where it chooses none.
std::string without_the_sweep(const ComposedExperiment& composed, const SweepPoint& point) {
  for (const auto& o : point) {
    if (o.key.find('.') != std::string::npos || !o.value.is_string()) continue;
    for (const auto& dimension : composed.dimensions()) {
      const auto values = values_of(dimension, o.address());
      if (values.size() > 1) return "run one after the other: " + one_after_the_other(values);
      if (values.size() == 1) return "choose it without a sweep: " + values.front().text;
    }
  }
  return {};
}

}  // namespace

void refuse_to_change_the_run(const ComposedExperiment& composed, const Composition& composition, const std::string& arm,
                              const SweepPoint& point) {
  const Composition& base = composed.base();
  for (const auto& [key, value] : composition.config.as_map()) {
    if (key == "claims" || key == "analyses" || value == base.config.at(key)) continue;
    const bool swept_itself = std::any_of(point.begin(), point.end(), [&top = key](const Override& o) { return top_key(o) == top; });
    const char* why =
        swept_itself && only_shown(key) ? nullptr : once_in_a_run(key);  // another check reports that sweeping it changes nothing
    if (!why) continue;
    const auto where = first_difference(value, base.config.at(key)).origin().describe();
    const auto instead = without_the_sweep(composed, point);
    if (!only_shown(key) || instead.empty()) {
      throw config_error(fmt::format("arm '{}' changes '{}', but a run has only one value for it", arm, key), where, why,
                         fmt::format("set '{}' for the whole experiment, or make two experiments", key));
    }
    throw config_error(fmt::format("at {} the sweep changes '{}', but a run has only one value for it", label_of(point), key), where, why,
                       instead + one_for_all(key, base.config.at(key)));
  }
}

bool can_decide_results(const Override& override, const JobType& type) {
  if (steers(override.key)) return false;
  const auto top = top_key(override);
  if (top == "trainer")
    return override.key == "trainer" || type.follows_trainer(override.key.substr(std::min(override.key.size(), top.size() + 1)));
  if (top == "analyses") return &type == &training_job();
  const auto keys = type.frozen_keys();
  return std::find(keys.begin(), keys.end(), top) != keys.end();
}

void PointGuard::see(const std::string& arm, const SweepPoint& point, const FrozenArm& frozen) {
  const auto [it, fresh] = seen_.emplace(identity_of(frozen), Seen{arm, point});
  if (fresh) return;
  const Seen& before = it->second;
  if (before.arm != arm) {
    throw config_error(fmt::format("arms '{}' and '{}' are the same", before.arm, arm), file_,
                       "after all overrides their configurations are equal, so there is nothing to compare",
                       fmt::format("change one arm instead, e.g. \"arms.{}=['operator=cosine']\", or remove it with '~arms.{}'", arm, arm));
  }
  const auto ours = differing(point, before.point), theirs = differing(before.point, point);
  const auto& differ = ours.empty() ? theirs : ours;
  std::vector<std::string> keys;
  for (const auto& o : differ) keys.push_back(o.address());
  std::string where;
  for (const auto& d : dimensions_) {
    const auto all = d.keys();
    if (where.empty() && std::find(all.begin(), all.end(), keys.front()) != all.end()) where = d.origin.describe();
  }
  throw config_error(fmt::format("arm '{}' is the same at {} and at {}", arm, label_of(theirs), label_of(ours)), where,
                     why_idle(keys, differ.front(), *frozen.type),
                     fmt::format("remove '{}' from the sweep, or remove values that mean the same", join(keys, "', '")));
}

void throw_idle(const Dimension& dimension, const std::string& key, const JobType& type) {
  const auto values = values_of(dimension, key);
  const bool known = only_shown(top_key(values.front())) || !can_decide_results(values.front(), type);
  throw config_error(fmt::format("the sweep over '{}' changes nothing", key), dimension.origin.describe(),
                     known ? why_idle({key}, values.front(), type) : "no arm's configuration depends on it",
                     fmt::format("remove '{}' from the sweep", key));
}

}  // namespace yatlab
