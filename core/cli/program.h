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

/// Sets what the libraries of the programs that this one becomes or starts read when they are loaded, where the caller has not:
/// - GLIBC_TUNABLES, unless it says anything about that: memory comes in large pages. Tensors that are made and freed at every step cost a tenth of a
///   step, or more, while their pages of 4 KB are given to the process one by one. Does nothing where the kernel has none.
/// - OMP_WAIT_POLICY and GOMP_SPINCOUNT: a thread of OpenMP waits awake for a moment, then sleeps. By default it stays awake for so long that OpenBLAS's
///   threads have no core to run on; asleep at once, it costs small layers their second thread.
/// Figures: docs/performance.md.
void tune_libraries();

/// `--version`.
int print_version();

}  // namespace yatlab::cli
