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

/// Has the programs that this one becomes or starts take memory in large pages and keep what they free for the next step: GLIBC_TUNABLES, which
/// glibc reads at a program's start, is given what it does not mention yet. Tensors that are made and freed at every step cost a tenth of a
/// step, or more, while their pages of 4 KB are taken from the kernel and given back each time. Peaks are the same (docs/performance.md).
void tune_allocator();

/// `--version`.
int print_version();

}  // namespace yatlab::cli
