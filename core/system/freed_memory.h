#pragma once

namespace yatlab {

/// From here on the process keeps the memory that it frees, for the next step of a training: the same tensors are made and freed at every step, and
/// pages that are given back to the kernel come again cleared, one fault each. What is larger than 32 MB is given back as ever. Peaks of a training are
/// the same (docs/performance.md); those of programs that read large files would not be, so it is asked for where training begins.
/// Does nothing where GLIBC_TUNABLES says anything about it, or the C library is not glibc.
void keep_freed_memory();

}  // namespace yatlab
