#pragma once

#include <string>

namespace yatlab::cli {

/// OpenBLAS's name for this CPU's best kernels ("SKYLAKEX", "ZEN", ...), from the CPU's flags; ""
/// when there is nothing to say.
std::string best_blas_kernels();

/// OpenBLAS chooses its kernels when it is loaded, and old versions do not know new CPUs. When it
/// chose poorly and the user did not choose, sets OPENBLAS_CORETYPE and starts the program again.
void choose_blas_kernels(char** argv);

}  // namespace yatlab::cli
