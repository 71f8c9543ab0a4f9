#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/plan/plan.h"

namespace yatlab {

/// What of a plan is done already, and what the rest will take, going by earlier runs of the experiment.
struct RunEstimate {
  std::vector<bool> done;  ///< of each job: it is finished, with its analyses, where the run would find or take it over
  std::size_t left = 0;    ///< jobs that are not
  /// Of those that are left, one after the other; nothing where one of them has no finished job that is like it: of the same arm, with the same
  /// architecture, data and trainer.
  std::optional<double> seconds, bytes;
  std::size_t measured = 0;  ///< finished jobs that these go by
};

/// Reads no more than what jobs say of themselves: damage is found when a run looks at them.
RunEstimate estimate_of(const Plan& plan);

/// "5 of 12 jobs are done; the others take about 3:20 with 2 workers, and 4.2 MB, as 5 like them did"; "" when nothing is known.
std::string estimate_text(const Plan& plan, const RunEstimate& outlook);

}  // namespace yatlab
