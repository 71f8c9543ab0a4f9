#pragma once

#include <string>
#include <vector>

#include "core/compose/plan_request.h"
#include "core/config/compose.h"
#include "core/config/sweep.h"

namespace yatlab {

/// One of the things that an experiment compares.
struct Arm {
  std::string name;
  std::vector<Override> overrides;
};

/// An experiment file with its scale, its command line and its sweep: what every arm and point is composed from. The order
/// is scale, arm, the file's sweep, command line; a sweep on the command line stands where it was written there.
class ComposedExperiment {
 public:
  explicit ComposedExperiment(const PlanRequest& request);

  const PlanRequest& request() const { return request_; }
  /// Without arms and points; what only a sweep can fill in is taken from its first point.
  const Composition& base() const { return base_; }
  const SweepPoint& base_point() const { return base_point_; }
  /// The base with interpolations resolved, names in arms replaced by what they stand for, arms that were removed forgotten, and checked.
  Node experiment() const;
  /// The same before interpolations are resolved, as a file of its own: what a run's config.yaml has. It composes to the same jobs, whatever the
  /// experiment's file, its scale and the command line had to say: see written_experiment.cpp.
  Node written() const;
  /// In the file's order; none of them sweeps.
  std::vector<Arm> arms() const;
  /// The file's `sweep`, then the command line's. What a scale or the command line sets is not swept.
  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  /// The condition on points; null for none.
  const Expression* condition() const { return condition_ ? &*condition_ : nullptr; }
  /// What the sweeper that `sweeper` describes makes of them for an arm; of one that searches a single point, to try arms with.
  std::vector<SweepPoint> points(const Node& sweeper, const std::string& arm) const;

  const std::string& scale() const { return scale_; }  ///< "" for none
  /// What a scale says; throws, with the nearest, when there is none of that name.
  std::vector<Override> overrides_of_scale(const std::string& name, const Origin& asked) const;
  const std::vector<Override>& scale_overrides() const { return scale_overrides_; }
  /// In order; of several that set one key where any of them sweeps, the last in the place of the first.
  const std::vector<Override>& command_line() const { return command_line_; }

  /// One arm at one point. Overrides that do not apply to it are skipped, those of the arm itself and `strict` (its
  /// text) excepted.
  Composition compose(const Arm& arm, const SweepPoint& point, const std::string& strict = {}) const;

 private:
  void read_command_line();
  void compose_base();
  void read_scale();
  void read_dimensions();
  std::vector<Dimension> command_line_dimensions() const;
  void check_arms_of(const Expression& condition, const Expression::Part& part) const;
  OptionLister lister() const;
  Node expanded_arms() const;
  std::vector<std::string> removed_arms() const;
  const Field* declared(const std::string& key) const;
  Composition compose_layers(const std::vector<OverrideLayer>& layers) const;
  /// The command line with the values that `point` gives to its sweeps (without those, if it gives none).
  OverrideLayer command_line_at(const SweepPoint& point, bool for_base) const;

  Composer composer_;
  PlanRequest request_;
  std::vector<Override> command_line_;
  std::vector<Dimension> dimensions_;
  Node bare_;  // the file with the groups that the command line chooses
  Composition base_;
  std::optional<Expression> condition_;
  SweepPoint base_point_;  // what the base needs of the sweep; mostly nothing
  std::string scale_;
  std::vector<Override> scale_overrides_;
};

}  // namespace yatlab
