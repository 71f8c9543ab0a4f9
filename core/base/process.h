#pragma once

#include <string>
#include <vector>

namespace yatlab {

struct ProcessResult {
  int status = -1;     ///< exit status; 127 when the program cannot be started, 128+n for signal n
  std::string output;  ///< stdout and stderr, in the order they were written
};

/// Runs a program found on PATH, without a shell: arguments are passed as they are.
ProcessResult run_process(const std::vector<std::string>& argv, const std::string& directory = {});

}  // namespace yatlab
