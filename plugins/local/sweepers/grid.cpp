#include "core/compose/sweeper.h"

namespace yatlab {

/// Every combination, the last dimension fastest.
class GridSweeper final : public Sweeper {
 public:
  std::vector<SweepPoint> propose(const std::vector<Dimension>& dimensions) const override { return grid(dimensions); }
};

YATLAB_REGISTER(Sweeper, GridSweeper, "grid", "every combination of the values");

}  // namespace yatlab
