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

/// Runs a program found on PATH, without a shell: arguments are passed unchanged. Its locale is C.UTF-8,
/// its input empty. Throws a job error if it cannot be started.
ProcessResult run_process(const std::vector<std::string>& argv, const fs::path& directory = ".");

/// Starts a program without waiting for it. Its output goes to a file, which is truncated first; its input is empty. The caller must call waitpid.
/// Throws a job error if it cannot be started. variables: "NAME=value", which precede those of this process.
pid_t start_process(const std::vector<std::string>& argv, const fs::path& output, const std::vector<std::string>& variables = {});

/// True if this machine has no process with that id (any more).
bool is_gone(pid_t process);

/// The path of the running program.
fs::path program_path();

/// The name of this machine; "unknown" if it has none.
std::string host_name();

}  // namespace yatlab
