#pragma once

#include <string>
#include <vector>

#include "core/experiment/report_config.h"
#include "core/figure/figure.h"
#include "core/record/run_view.h"
#include "core/registry/registry.h"

namespace yatlab {

/// The request for a plot.
struct PlotRequest {
  std::string id;  ///< the figure's key in the experiment ("fig:mnist_prototypes")
  std::string caption;
  const ReportConfig* config = nullptr;  ///< labels, metrics; never null when drawing
};

/// The inputs of a plot: planning checks that the experiment's arms produce them.
struct PlotNeeds {
  std::vector<std::string> results = {};    ///< metrics of finished jobs
  std::vector<std::string> history = {};    ///< metrics logged while training
  std::vector<std::string> artifacts = {};  ///< of analyses and studies
  std::vector<std::string> arms = {};       ///< the arms that must have them; empty: any
  std::string along = {};  ///< a key with a numeric value in the config of each of the figure's `arms`; other arms are its `references`
};

/// A kind of figure: turns a run into one or more figures. Reads run directories only.
class Plot {
 public:
  virtual ~Plot() = default;

  /// The figures, the first named `request.id`, others with a suffix. Throws a data error that names what the run lacks ("no artifact 'prototypes'").
  virtual std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const = 0;

  /// The names that `draw` looks up. Planning throws unless at least one arm produces each.
  virtual PlotNeeds needs() const { return {}; }
};

YATLAB_KIND(Plot, "figure", "a figure drawn from the runs of an experiment")

}  // namespace yatlab
