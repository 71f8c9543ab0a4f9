#include "core/compose/sweeper.h"

#include "core/base/error.h"

namespace yatlab {

void SearchParams::declare(Fields& f, SearchParams& p) {
  f.field("trials", p.trials, "points to try for each arm, each with all seeds; a larger number continues an earlier search").positive();
  f.field("batch", p.batch, "points to try in parallel once results guide the search; 0: as many as jobs run in parallel").non_negative();
  f.field("metric", p.metric,
          "metric whose mean over seeds is optimized, up or down as `metrics` says; default: the first table's first column, on held-out "
          "samples if there are any");
  f.component("pruner", p.pruner, "pruner", "stops unpromising trials early; null: none");
}

std::shared_ptr<Pruner> SearchSetup::pruner() const { return params.pruner.empty() ? nullptr : Registry<Pruner>::create(params.pruner); }

std::vector<SweepPoint> Sweeper::propose(const std::vector<Dimension>&) const {
  throw config_error("this sweeper has no list of points", "sweeper", "it implements neither `propose` nor `search`");
}

}  // namespace yatlab
