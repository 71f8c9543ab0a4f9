#pragma once

// Compiles a function once for each of several CPUs; which one is chosen when the program starts. Not under
// AddressSanitizer or ThreadSanitizer: the choice happens before they are ready.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define YATLAB_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define YATLAB_CLONES
#endif
