#include "core/plan/arm_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/error.h"

namespace yatlab {
namespace {

/// The overrides of a point that apply to the composed arm.
SweepPoint applying(const SweepPoint& point, const Composition& composition) {
  SweepPoint out;
  for (const auto& o : point) {
    if (std::find(composition.skipped.begin(), composition.skipped.end(), o.text) == composition.skipped.end()) out.push_back(o);
  }
  return out;
}

/// Whether results of the arm change when the point leaves out its override of `key`.
bool follows(const ComposedExperiment& composed, const Arm& arm, SweepPoint point, const std::string& key, const FrozenArm& with) {
  point.erase(std::remove_if(point.begin(), point.end(), [&](const Override& o) { return o.address() == key; }), point.end());
  try {
    const auto without = frozen_arm(composed.compose(arm, point), arm.name);
    return identity_of(without) != identity_of(with);
  } catch (const Error&) {  // the arm cannot be composed without it
    return true;
  }
}

}  // namespace

ArmPlanner::Added ArmPlanner::add(const Arm& arm, const SweepPoint& point) {
  const auto composition = composed_.compose(arm, point);
  Added out{applying(point, composition)};
  // A swept key that this arm lacks is dropped: one job instead of many equal ones.
  std::string point_name;
  for (const auto& o : out.present) point_name += fmt::format(",{}={}", o.address(), o.value.to_flow());
  out.fresh = points_[arm.name].insert(point_name).second;
  if (!out.fresh) return out;
  idle_.see(composition);
  refuse_to_change_the_run(composed_, composition, arm.name, out.present);
  const auto frozen = frozen_arm(composition, arm.name);
  measured_[arm.name].add(checker_.check(arm.name, frozen));
  guard_.see(arm.name, out.present, frozen);
  for (const auto& o : out.present) {
    // The guard checks that several values differ; a single value may be the default.
    const auto key = o.address();
    if (acting_.count(key) == 0 && (can_decide_results(o, *frozen.type) || follows(composed_, arm, point, key, frozen)))
      acting_.insert(key);
  }
  const auto change = as_written_.change_of(arm, out.present, frozen);
  note_change(change);
  jobs_.add(arm.name, out.present, point_name, frozen, change);
  return out;
}

void ArmPlanner::check_options(const Arm& arm, const SweepPoint& first) const {
  for (const auto& dimension : composed_.dimensions()) {
    for (const auto& position : dimension.positions) {
      const auto is_option = [](const Override& o) { return o.key.find('.') == std::string::npos && o.value.is_string(); };
      if (std::none_of(position.begin(), position.end(), is_option)) continue;
      SweepPoint point = first;
      for (auto& o : point) {
        const auto there = std::find_if(position.begin(), position.end(), [&](const Override& p) { return p.address() == o.address(); });
        if (there != position.end()) o = *there;
      }
      std::optional<Composition> composition;
      try {
        composition = composed_.compose(arm, point);
      } catch (const Error&) {  // the option may never occur with these others
        continue;
      }
      refuse_to_change_the_run(composed_, *composition, arm.name, applying(point, *composition));
    }
  }
}

void ArmPlanner::hold_against_file(const std::vector<Arm>& arms, bool search) {
  plan_.added_arms = as_written_.added(arms);
  plan_.as_written = as_written_.is_whole(arms, search);
}

void ArmPlanner::note_change(const ProtocolChange& change) {
  auto& all = plan_.protocol_overrides;
  const auto is_new = [&](const std::string& text) { return std::find(all.begin(), all.end(), text) == all.end(); };
  auto texts = change.training;
  for (const auto& [analysis, own] : change.analyses) texts.insert(texts.end(), own.begin(), own.end());
  if (std::none_of(texts.begin(), texts.end(), is_new)) return;
  std::vector<std::string> in_order;
  for (const auto& text : plan_.overrides) {
    if (!is_new(text) || std::find(texts.begin(), texts.end(), text) != texts.end()) in_order.push_back(text);
  }
  all = std::move(in_order);
}

void ArmPlanner::reject_ineffective_overrides(const std::vector<Arm>& arms, const SweepPoint& first) {
  refuse_idle_dimensions(arms.front(), first);
  idle_.refuse(arms, first);
  for (auto& notice : idle_.notices(arms)) plan_.notices.push_back(std::move(notice));
}

void ArmPlanner::refuse_idle_dimensions(const Arm& arm, const SweepPoint& point) const {
  for (const auto& o : point) {
    if (acting_.count(o.address()) != 0) continue;
    if (idle_.nowhere(o.text)) composed_.compose(arm, point, o.text);  // throws with the full explanation
    for (const auto& dimension : composed_.dimensions()) {
      const auto keys = dimension.keys();
      if (std::find(keys.begin(), keys.end(), o.address()) != keys.end()) throw_idle(dimension, o.address(), *plan_.jobs.front().type);
    }
  }
}

}  // namespace yatlab
