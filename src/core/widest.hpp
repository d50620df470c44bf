#pragma once

// Wider registers where the machine has them. Loops whose order of operations is written out give the same
// bits with any. The sanitizers' start-up cannot call the resolver this needs.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TACIT_WIDEST __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define TACIT_WIDEST
#endif
