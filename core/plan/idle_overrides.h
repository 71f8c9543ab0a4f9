#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/compose/composed_experiment.h"

namespace yatlab {

/// What overrides of the command line and of a scale have done, over all arms and points: one that does nothing anywhere is a mistake of
/// whoever wrote it, and is refused.
class IdleOverrides {
 public:
  explicit IdleOverrides(const ComposedExperiment& composed) : composed_(composed) {}

  /// One arm at one point, composed.
  void see(const Composition& composition);

  /// Whether an override, by its text, has applied to no arm so far.
  bool nowhere(const std::string& text) const { return times_skipped(text) == compositions_; }

  /// Throws, with the full story, when an override of the command line has applied to no arm at no point.
  void refuse(const std::vector<Arm>& arms, const SweepPoint& point) const;
  /// Notices: warnings of compositions that the experiment itself does not have; of overrides of the command line that some arms do not take, and
  /// of those of the scale that do nothing where the command line may be the cause; where it cannot be, these are an error of the file.
  std::vector<std::string> notices(const std::vector<Arm>& arms) const;

 private:
  std::size_t times_skipped(const std::string& text) const;
  void note_scale(const std::vector<Arm>& arms, std::vector<std::string>& out) const;

  const ComposedExperiment& composed_;
  std::map<std::string, std::size_t> skipped_;
  std::set<std::string> warnings_;
  std::size_t compositions_ = 0;
};

/// `IdleOverrides::refuse` for a composition that is only looked at.
void refuse_idle_overrides(const ComposedExperiment& composed);

}  // namespace yatlab
