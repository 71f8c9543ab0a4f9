#pragma once

#include <string>

#include "core/base/files.h"

namespace yatlab {

/// How the process that ran a job ended.
struct JobEnding {
  std::string crash =
      {};             ///< "its process was killed by signal 11 (Segmentation fault)\n  <last lines>"; "": normally, as `yatlab job` does
  bool lost = false;  ///< killed from outside or by lack of memory: the job itself did not fail
};

/// signal: the signal that ended it; 0: none, then `exit_code` counts. output: the file with its output.
JobEnding job_ending(int exit_code, int signal, const fs::path& output);

/// "\n  <last lines>" of a process's output; "" if it is empty.
std::string last_lines(const fs::path& output);

}  // namespace yatlab
