#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/compose/frozen_arm.h"
#include "core/plan/arm_names.h"
#include "core/train/arm_parts.h"

namespace yatlab {

/// An arm that is checked: its type of job asks every part of it whether it can work there.
class ArmCheck {
 public:
  /// Models that were built for a check, and their tasks, by all that decides how they are put together.
  using Rehearsed = std::map<std::string, std::shared_ptr<const ArmParts>>;

  ArmCheck(std::string arm, const FrozenArm& of, Rehearsed& before) : name(std::move(arm)), frozen(of), rehearsed(before) {}

  const std::string name;
  const FrozenArm& frozen;
  Rehearsed& rehearsed;
  ArmParts parts = {};  ///< operator and normalizer are there; the rest is the type's

  /// Runs `act`; its errors get the arm's name and the place of `node`, or of the key that they name, in the config.
  template <class Act>
  auto guarded(const Node& node, const Act& act) const {
    try {
      return act();
    } catch (const Error& e) {
      throw placed(e, node);
    }
  }

 private:
  Error placed(const Error& error, const Node& node) const;
};

/// "[2, 4]"
std::string shape_text(at::IntArrayRef shape);
/// In a catch block: what went wrong in somebody's code, as a config error. One that is one already passes.
Error refusal(std::string what, const std::string& where, const std::string& hint);

}  // namespace yatlab
