#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace yatlab {

/// What is to be planned.
struct PlanRequest {
  std::filesystem::path experiment;                ///< the .yaml
  std::vector<std::string> overrides;              ///< command line
  bool multirun = false;                           ///< --multirun: sweeps on the command line; a file with a sweep takes them without
  std::vector<std::filesystem::path> config_path;  ///< searched after the experiment's own folder
};

}  // namespace yatlab
