#pragma once

#include <functional>
#include <string>
#include <vector>

namespace yatlab::cli {

/// What both programs, `yatlab` and `yatlab-torch`, are around their commands: errors as people read them, and exit codes. `dispatch` gets the
/// words of the command line and returns the exit code.
int run_program(int argc, char** argv, const std::function<int(const std::vector<std::string>& words)>& dispatch);

/// A file that is opened while a standard stream is closed takes its number, and then what is printed: first of all, before anything is opened.
void occupy_standard_streams();

/// `--version`.
int print_version();

}  // namespace yatlab::cli
