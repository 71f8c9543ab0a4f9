#pragma once

#include <string>

#include "core/base/files.h"

namespace yatlab {

/// How a process that did a job ended.
struct JobEnding {
  std::string crash =
      {};             ///< "its process was killed by signal 11 (Segmentation fault)\n  <last lines>"; "": by itself, as `yatlab job` does
  bool lost = false;  ///< killed from outside, or for want of memory: nothing is wrong with the job itself
};

/// signal: that ended it; 0: none, and `exit_code` says more. output: what it printed.
JobEnding job_ending(int exit_code, int signal, const fs::path& output);

/// "\n  <last lines>" of what a process printed; "" where that is nothing.
std::string last_lines(const fs::path& output);

}  // namespace yatlab
