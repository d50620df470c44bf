#include "service/shards/mpi_library.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

// The only file that knows MPI.

namespace {

constexpr int tag = 1;
constexpr std::size_t most_bytes = std::size_t{1} << 30;  // of one MPI message, whose size is an int

// Waits for `done` without taking a core from those who work: questions come when rank 0 has something to
// ask. The first waits are short, so that a quick answer is heard quickly.
template <class Done>
bool wait_for(Done&& done, int (*stopped)()) {
  using namespace std::chrono_literals;
  auto pause = 0us;
  for (int round = 0; !done(); ++round) {
    if (stopped != nullptr && stopped() != 0) return false;
    if (round < 200) continue;
    if (pause == 0us) pause = 5us;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(500));
  }
  return true;
}

// Pieces of a message, the last one shorter.
template <class Piece>
int in_pieces(std::size_t size, Piece&& piece) {
  for (std::size_t at = 0; at < size; at += most_bytes)
    if (const int outcome = piece(at, static_cast<int>(std::min(most_bytes, size - at))); outcome != 0)
      return outcome;
  return 0;
}

int send_piece(int first, int count, const void* data, int bytes) {
  std::vector<MPI_Request> requests(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k)
    if (MPI_Isend(data, bytes, MPI_BYTE, first + k, tag, MPI_COMM_WORLD,
                  &requests[static_cast<std::size_t>(k)]) != MPI_SUCCESS)
      return std::max(first + k, 1);
  int lost = 0;
  for (int k = 0; k < count; ++k) {
    const auto taken = [&] {
      int flag = 0;
      if (MPI_Test(&requests[static_cast<std::size_t>(k)], &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return lost = std::max(first + k, 1), true;
      return flag != 0;
    };
    wait_for(taken, nullptr);
  }
  return lost;
}

int receive_piece(int from, void* data, int bytes, int (*stopped)()) {
  MPI_Request request;
  if (MPI_Irecv(data, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request) != MPI_SUCCESS) return 1;
  int lost = 0;
  const auto arrived = [&] {
    int flag = 0;
    if (MPI_Test(&request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS) return lost = 1, true;
    return flag != 0;
  };
  return wait_for(arrived, stopped) ? lost : tacit::mpi_stopped;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int tacit_mpi_join(int* rank, int* size) {
  // Its own plugins look for MPI's functions among those of the whole process.
  Dl_info mpi{};
  if (::dladdr(reinterpret_cast<const void*>(&MPI_Init_thread), &mpi) != 0 && mpi.dli_fname != nullptr)
    static_cast<void>(::dlopen(mpi.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD));
  // PMIx's usual store has a lock in shared memory. Where a process is killed that holds it, which it does
  // while it starts, mpirun waits for it for ever (openpmix/openpmix#1233).
  static_cast<void>(::setenv("PMIX_MCA_gds", "hash", 0));
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return 1;
  if (MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) != MPI_SUCCESS) return 1;
  return MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
                 MPI_Comm_size(MPI_COMM_WORLD, size) == MPI_SUCCESS
             ? 0
             : 1;
}

__attribute__((visibility("default"))) void tacit_mpi_leave() { MPI_Finalize(); }

__attribute__((visibility("default"))) int tacit_mpi_send(int first, int count, const char* data,
                                                          std::size_t size) {
  const std::uint64_t announced = size;
  if (const int lost = send_piece(first, count, &announced, sizeof announced); lost != 0) return lost;
  return in_pieces(size,
                   [&](std::size_t at, int bytes) { return send_piece(first, count, data + at, bytes); });
}

__attribute__((visibility("default"))) int tacit_mpi_receive(int from, char* (*room)(void*, std::size_t),
                                                             void* to, int (*stopped)()) {
  std::uint64_t size = 0;
  if (const int outcome = receive_piece(from, &size, sizeof size, stopped); outcome != 0) return outcome;
  char* data = room(to, size);
  return in_pieces(size,
                   [&](std::size_t at, int bytes) { return receive_piece(from, data + at, bytes, stopped); });
}
}
