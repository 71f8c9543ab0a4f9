#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/experiment/report_config.h"
#include "core/record/run_view.h"

namespace yatlab {

/// Why an arm's numbers decide nothing, and the verdict that replaces theirs.
struct Unmet {
  Requirement::Else otherwise;
  std::string why;
};

/// The first of `requirements` that some seed of the arm fails.
std::optional<Unmet> unmet_by(const RunView& run, const ReportConfig& config, const std::vector<Requirement>& requirements,
                              const std::string& arm, const Node::Map& point);

}  // namespace yatlab
