#pragma once

#include <string>
#include <vector>

#include "core/registry/registry.h"
#include "core/report/config.h"
#include "core/report/figure.h"
#include "core/report/run_view.h"

namespace yatlab {

/// What a plot is asked for.
struct PlotRequest {
  std::string id;  ///< the figure's key in the experiment ("fig:mnist_prototypes")
  std::string caption;
  const ReportConfig* config = nullptr;  ///< labels, metrics; never null when drawing
};

/// A kind of figure: turns a run into one or more figures. Reads run directories only.
class Plot {
 public:
  virtual ~Plot() = default;

  /// The figures, the first named `request.id`, others with a suffix. Throws a data error that says what the
  /// run lacks ("no artifact 'prototypes'").
  virtual std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const = 0;
};

YATLAB_KIND(Plot, "figure", "a figure drawn from the runs of an experiment")

}  // namespace yatlab
