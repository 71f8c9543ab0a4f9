#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/compose/composed_experiment.h"

namespace yatlab {

/// Records the effects of overrides from the command line and the scale over all arms and points. One without effect anywhere is the user's mistake,
/// and an error.
class IdleOverrides {
 public:
  explicit IdleOverrides(const ComposedExperiment& composed) : composed_(composed) {}

  /// Records one arm composed at one point.
  void see(const Composition& composition);

  /// Whether an override, given by its text, has applied to no arm so far.
  bool nowhere(const std::string& text) const { return times_skipped(text) == compositions_; }

  /// Throws, with a full explanation, when an override of the command line has applied to no arm at any point.
  void refuse(const std::vector<Arm>& arms, const SweepPoint& point) const;
  /// Returns notices: warnings of compositions that the experiment itself does not have; command-line overrides that some arms do not take; and scale
  /// overrides without effect where the command line may be the cause. Where it cannot be the cause, throws an error about the file.
  std::vector<std::string> notices(const std::vector<Arm>& arms) const;

 private:
  std::size_t times_skipped(const std::string& text) const;
  void note_scale(const std::vector<Arm>& arms, std::vector<std::string>& out) const;

  const ComposedExperiment& composed_;
  std::map<std::string, std::size_t> skipped_;
  std::set<std::string> warnings_;
  std::size_t compositions_ = 0;
};

/// `IdleOverrides::refuse` for a composition that is only displayed.
void refuse_idle_overrides(const ComposedExperiment& composed);

}  // namespace yatlab
