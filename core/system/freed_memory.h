#pragma once

namespace yatlab {

/// From now on the process keeps freed memory for the next training step. Every step allocates and frees the same tensors, and pages returned to
/// the kernel come back cleared, with one page fault each. Blocks above 32 MB are still returned. The peak memory of a training stays
/// the same (docs/performance.md); programs that read large files would need more, so call it only where training begins.
/// Does nothing if GLIBC_TUNABLES configures this, or if the C library is not glibc.
void keep_freed_memory();

}  // namespace yatlab
