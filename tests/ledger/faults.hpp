#pragma once

#include <cstdint>
#include <string>
#include <vector>

// The test program's own pwrite, ftruncate, fdatasync and flock, which everything in the process calls: they
// can be counted, recorded, and end the process.

namespace tacit::testing_ledger {

enum class Death { before_it, half_way };  // half of the bytes of a write are written
// The process dies, as by `kill -9`, at its k-th such call from now on.
void die_at_call(long k, Death death);

struct Call {
  enum class Kind { write, truncate, flush };
  Kind kind = Kind::flush;
  std::uint64_t at = 0;  // of a write; of truncate the new size
  std::string bytes;
};
// Starts or ends recording; returns what was recorded until now.
std::vector<Call> record_calls(bool on);

// What may be on a disk that loses power at any moment of these calls.
struct DiskState {
  std::string bytes;
  bool acknowledged = false;  // the last call had returned
};
std::vector<DiskState> states_after_power_cut(const std::string& before, const std::vector<Call>& calls);

}  // namespace tacit::testing_ledger
