#pragma once

#include <cstddef>

// What libtacit_mpi offers to those who load it: whole messages between processes, and nothing of tacit.

namespace tacit {

inline constexpr int mpi_stopped = -1;

struct MpiLibrary {
  // 0, and this process's rank among so many.
  int (*join)(int* rank, int* size);
  // Together with all others.
  void (*leave)();
  // The same message to `count` processes from rank `first` on; returns when all have taken it. 0, or the
  // rank of one that could not be reached (1 for rank 0).
  int (*send)(int first, int count, const char* data, std::size_t size);
  // The next message of this process, into the memory that room(to, size) returns. 0; `mpi_stopped` when
  // stopped() was not 0 while waiting; else the process is lost.
  int (*receive)(int from, char* (*room)(void* to, std::size_t size), void* to, int (*stopped)());
};

}  // namespace tacit
