#pragma once

#include <string>

namespace yatlab::cli {

/// OpenBLAS's name for this CPU's best kernels ("SKYLAKEX", "ZEN", ...), from the CPU's flags; ""
/// if there is nothing to recommend.
std::string best_blas_kernels();

/// OpenBLAS chooses its kernels when it is loaded, and old versions do not know new CPUs. If it
/// chose slow ones and the user did not choose, sets OPENBLAS_CORETYPE and restarts the program.
void choose_blas_kernels(char** argv);

}  // namespace yatlab::cli
