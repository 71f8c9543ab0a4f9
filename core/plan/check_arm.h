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

/// An arm being checked: its job type checks that each of its parts works there.
class ArmCheck {
 public:
  /// Models built for a check, with their tasks; the key holds everything that decides how they are put together.
  using Rehearsed = std::map<std::string, std::shared_ptr<const ArmParts>>;

  ArmCheck(std::string arm, const FrozenArm& of, Rehearsed& before) : name(std::move(arm)), frozen(of), rehearsed(before) {}

  const std::string name;
  const FrozenArm& frozen;
  Rehearsed& rehearsed;
  ArmParts parts = {};  ///< operator and normalizer are set; the job type fills in the rest

  /// Runs `act`. Its errors get the arm's name and the place in the config of `node`, or of the key that they name.
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
/// Call it in a catch block: turns an error in a component's code into a config error. Config errors pass unchanged.
Error refusal(std::string what, const std::string& where, const std::string& hint);

}  // namespace yatlab
