#pragma once

#include <string>
#include <vector>

#include "core/compose/plan_request.h"
#include "core/config/compose.h"
#include "core/config/sweep.h"

namespace yatlab {

/// One of the variants that an experiment compares.
struct Arm {
  std::string name;
  std::vector<Override> overrides;
};

/// An experiment file with its scale, command line and sweep. Every arm and point is composed from it, in the order
/// scale, arm, the file's sweep, command line. A sweep on the command line keeps its position there.
class ComposedExperiment {
 public:
  explicit ComposedExperiment(const PlanRequest& request);

  const PlanRequest& request() const { return request_; }
  /// The composition without arms and points. Values that only a sweep provides are taken from its first point.
  const Composition& base() const { return base_; }
  const SweepPoint& base_point() const { return base_point_; }
  /// The base after checks, with interpolations resolved, names in arms expanded and removed arms dropped.
  Node experiment() const;
  /// The same before interpolations are resolved, as a self-contained file: a run's config.yaml. It composes to the same jobs, independent of the
  /// experiment's file, its scale and the command line: see written_experiment.cpp.
  Node written() const;
  /// In the file's order; none of them contains a sweep.
  std::vector<Arm> arms() const;
  /// The file's `sweep`, then the command line's. A key that a scale or the command line sets is not swept.
  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  /// The condition on points; null for none.
  const Expression* condition() const { return condition_ ? &*condition_ : nullptr; }
  /// The points that the sweeper described by `sweeper` proposes for an arm; a searching sweeper gives one point, to test arms with.
  std::vector<SweepPoint> points(const Node& sweeper, const std::string& arm) const;

  const std::string& scale() const { return scale_; }  ///< "" for none
  /// The overrides of a scale. Throws for an unknown name, with the nearest one.
  std::vector<Override> overrides_of_scale(const std::string& name, const Origin& asked) const;
  const std::vector<Override>& scale_overrides() const { return scale_overrides_; }
  /// In order. If several set the same key and one of them sweeps, the last takes the position of the first.
  const std::vector<Override>& command_line() const { return command_line_; }

  /// Composes one arm at one point. Skips overrides that do not apply to it, except those of the arm itself and the
  /// override with the text `strict`.
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
  /// The command line with `point`'s values for its sweeps; sweeps without a value are left out.
  OverrideLayer command_line_at(const SweepPoint& point, bool for_base) const;

  Composer composer_;
  PlanRequest request_;
  std::vector<Override> command_line_;
  std::vector<Dimension> dimensions_;
  Node bare_;  // the file with the groups that the command line chooses
  Composition base_;
  std::optional<Expression> condition_;
  SweepPoint base_point_;  // the values of the sweep that the base needs; usually empty
  std::string scale_;
  std::vector<Override> scale_overrides_;
};

}  // namespace yatlab
