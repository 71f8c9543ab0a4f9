#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/plan/plan.h"

namespace yatlab {

/// Which jobs of a plan are done, and the cost of the rest, estimated from earlier runs of the experiment.
struct RunEstimate {
  std::vector<bool> done;  ///< for each job: it is finished, with its analyses, in a folder where the run would find it or copy it from
  std::size_t left = 0;    ///< jobs that are not done
  /// For the remaining jobs, one after the other. Empty if one of them has no similar finished job: same arm, architecture, data and trainer.
  std::optional<double> seconds, bytes;
  std::size_t measured = 0;  ///< finished jobs that the estimates use
};

/// Reads only the jobs' own records; the run itself will detect damage.
RunEstimate estimate_of(const Plan& plan);

/// "5 of 12 jobs are done; the others take about 3:20 with 2 workers, and 4.2 MB, as 5 like them did"; "" when nothing is known.
std::string estimate_text(const Plan& plan, const RunEstimate& outlook);

}  // namespace yatlab
