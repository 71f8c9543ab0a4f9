#pragma once

#include <string>
#include <vector>

#include "core/experiment/report_config.h"
#include "core/figure/figure.h"
#include "core/record/run_view.h"
#include "core/registry/registry.h"

namespace yatlab {

/// What a plot is asked for.
struct PlotRequest {
  std::string id;  ///< the figure's key in the experiment ("fig:mnist_prototypes")
  std::string caption;
  const ReportConfig* config = nullptr;  ///< labels, metrics; never null when drawing
};

/// What a plot draws: planning checks that the experiment's arms make it.
struct PlotNeeds {
  std::vector<std::string> results = {};    ///< metrics of finished jobs
  std::vector<std::string> history = {};    ///< metrics logged while training
  std::vector<std::string> artifacts = {};  ///< of analyses and studies
  std::vector<std::string> arms = {};       ///< whose; empty: of any
  std::string along = {};  ///< a key that has a number in the config of each of the figure's `arms`; others are its `references`
};

/// A kind of figure: turns a run into one or more figures. Reads run directories only.
class Plot {
 public:
  virtual ~Plot() = default;

  /// The figures, the first named `request.id`, others with a suffix. Throws a data error that says what the
  /// run lacks ("no artifact 'prototypes'").
  virtual std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const = 0;

  /// What `draw` looks for by name. At least one arm must make each, or the experiment is refused.
  virtual PlotNeeds needs() const { return {}; }
};

YATLAB_KIND(Plot, "figure", "a figure drawn from the runs of an experiment")

}  // namespace yatlab
