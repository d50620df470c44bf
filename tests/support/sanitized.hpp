#pragma once

// Memory of a program that a sanitizer watches. Tests that measure memory state what the program may use by
// itself; what the sanitizer adds is told here once.

namespace tacit::testing {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TACIT_WATCHED_ADDRESSES
#elif __has_feature(thread_sanitizer)
#define TACIT_WATCHED_THREADS
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TACIT_WATCHED_ADDRESSES
#elif defined(__SANITIZE_THREAD__)
#define TACIT_WATCHED_THREADS
#endif

// The most that a program may use, in kilobytes, if it may use so many by itself.
// AddressSanitizer: a shadow of one byte for eight, 256 MB of freed memory that it keeps (its quarantine),
// and 64 MB for red zones, stacks of allocations and its own tables. ThreadSanitizer: four words of shadow
// and half a word of its own for each, and the same 64 MB.
constexpr long with_sanitizer(long kilobytes) {
#if defined(TACIT_WATCHED_ADDRESSES)
  return kilobytes + kilobytes / 8 + (256 + 64) * 1024;
#elif defined(TACIT_WATCHED_THREADS)
  return kilobytes + 4 * kilobytes + kilobytes / 2 + 64 * 1024;
#else
  return kilobytes;
#endif
}

}  // namespace tacit::testing
