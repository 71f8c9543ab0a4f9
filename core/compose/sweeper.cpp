#include "core/compose/sweeper.h"

#include "core/base/error.h"

namespace yatlab {

void SearchParams::declare(Fields& f, SearchParams& p) {
  f.field("trials", p.trials, "points to try for each arm, each with all seeds; more of them go on from those that are there").positive();
  f.field("batch", p.batch, "points asked for at the same time once results decide; 0: as many as jobs run at the same time")
      .non_negative();
  f.field("metric", p.metric,
          "what is searched for: its mean over seeds, the lowest or highest as `metrics` has it; default: what the first table "
          "leads with, on samples held back where there are any");
  f.component("pruner", p.pruner, "pruner", "ends trials early that will hardly be the best; null: none");
}

std::shared_ptr<Pruner> SearchSetup::pruner() const { return params.pruner.empty() ? nullptr : Registry<Pruner>::create(params.pruner); }

std::vector<SweepPoint> Sweeper::propose(const std::vector<Dimension>&) const {
  throw config_error("this sweeper has no list of points", "sweeper", "it overrides neither `propose` nor `search`");
}

}  // namespace yatlab
