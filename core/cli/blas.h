#pragma once

#include <string>

namespace yatlab::cli {

/// OpenBLAS's name for this CPU's best kernels ("SKYLAKEX", "ZEN", ...), from the CPU's flags; ""
/// if there is nothing to recommend.
std::string best_blas_kernels();

/// OpenBLAS chooses its kernels when it is loaded, and old versions do not know new CPUs. If it
/// chooses slow ones and the user did not choose, sets OPENBLAS_CORETYPE for programs that this
/// process starts or becomes. Loads OpenBLAS for that (3 ms), so not for a process that computes.
void choose_blas_kernels();

}  // namespace yatlab::cli
