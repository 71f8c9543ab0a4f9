#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/node.h"
#include "core/experiment/report_config.h"
#include "core/record/run_view.h"
#include "core/report/verdict_page.h"

namespace yatlab {

/// What the summary of a paper's reproduction says about one experiment.
struct ReproducedExperiment {
  std::string name;
  bool recorded = false;  ///< without results nothing else is set
  std::size_t jobs = 0;
  std::size_t fewest_seeds = 0, most_seeds = 0;  ///< over its arms and points
  std::vector<DatasetUse> datasets = {};
  std::optional<MadeWith> made = {};
  std::optional<double> seconds = {};  ///< of all jobs, added up; unset where it is not recorded
};
/// `seconds`: as recorded, for a run that is not here; else those of its jobs. The only data set of a run that is none of the paper's stands in
/// for those that the paper's numbers are for.
ReproducedExperiment reproduced_experiment(const RunView& run, const ReportConfig& config, std::optional<double> seconds);

/// The first page that the ML Reproducibility Challenge asks for: scope, methodology, results, what was easy, what was difficult,
/// communication with the authors. The last three are texts in `claims`, a paper.yaml: `reproducibility: {easy: ..., difficult: ...,
/// communication: ...}`; where one is missing, the page says where to write it. Throws a config error for a `reproducibility` of other
/// keys.
struct ReproducibilitySummary {
  std::string markdown;
  std::string latex;  ///< a document; compiles with pdflatex
};
ReproducibilitySummary reproducibility_summary(const Node& claims, const std::vector<PaperClaim>& judged, const std::string& tally,
                                               const std::vector<ReproducedExperiment>& experiments);

}  // namespace yatlab
