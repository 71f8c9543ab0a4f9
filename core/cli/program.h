#pragma once

#include <functional>
#include <string>
#include <vector>

namespace yatlab::cli {

/// The main function of both programs, `yatlab` and `yatlab-torch`: prints errors and returns exit codes. `dispatch` receives the words of the
/// command line and returns the exit code.
int run_program(int argc, char** argv, const std::function<int(const std::vector<std::string>& words)>& dispatch);

/// Opens closed standard streams on /dev/null: otherwise the next opened file would get their number and receive printed text. Call it first.
void occupy_standard_streams();

/// Sets environment variables, unless the user has set them, for libraries of the programs that this one starts or executes:
/// - GLIBC_TUNABLES: use large pages, unless it configures them already. With pages of 4 kB, page faults of the tensors that
///   every step allocates cost a tenth of its time or more. No effect if the kernel has no large pages.
/// - OMP_WAIT_POLICY and GOMP_SPINCOUNT: OpenMP threads spin for a moment, then sleep. By default they spin so long that OpenBLAS's
///   threads have no core to run on; without spinning, small layers would not profit from a second thread.
/// Measurements: docs/measurements/performance.md.
void tune_libraries();

/// `--version`.
int print_version();

}  // namespace yatlab::cli
