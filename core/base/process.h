#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

struct ProcessResult {
  int status = 0;      ///< exit status, or 128 + the signal that ended it
  std::string output;  ///< stdout and stderr, in the order they were written
};

/// Runs a program found on PATH, without a shell: arguments are passed as they are. Its locale is C.UTF-8,
/// its input empty. Throws a job error when it cannot be started.
ProcessResult run_process(const std::vector<std::string>& argv, const fs::path& directory = ".");

/// Starts a program without waiting for it; its output goes to a file, which is emptied, its input is empty. For whoever calls waitpid. Throws a
/// job error when it cannot be started. variables: "NAME=value", before those of this process.
pid_t start_process(const std::vector<std::string>& argv, const fs::path& output, const std::vector<std::string>& variables = {});

/// True when this machine has no process of that number (any more).
bool is_gone(pid_t process);

/// The running program.
fs::path program_path();

/// Of this machine; "unknown" where it has no name.
std::string host_name();

}  // namespace yatlab
