#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace yatlab {

/// The request for a plan.
struct PlanRequest {
  std::filesystem::path experiment;                ///< the .yaml
  std::vector<std::string> overrides;              ///< command line
  bool multirun = false;                           ///< --multirun: allows sweeps on the command line; not needed if the file has a sweep
  std::vector<std::filesystem::path> config_path;  ///< searched after the experiment's own folder
};

}  // namespace yatlab
