#pragma once

#include <cstddef>
#include <functional>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

// The number of threads to use when a caller says 0: one per core.
TACIT_API unsigned default_threads();

// Calls body(begin, end, worker) for `threads` contiguous parts of [0, count), each on its own thread, worker
// in [0, threads). The parts depend on count and threads alone. An exception of a part is rethrown here after
// all parts have ended.
TACIT_API void parallel_parts(std::size_t count, unsigned threads,
                              const std::function<void(std::size_t, std::size_t, unsigned)>& body);

}  // namespace tacit::inline v1
