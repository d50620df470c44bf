#include "faults.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace tacit::testing_ledger {
namespace {

long calls_left = 0;
Death how = Death::before_it;
bool recording = false;
std::vector<Call> recorded;

// Whether the process is to die within this call.
bool last_call() { return calls_left > 0 && --calls_left == 0; }

void one_call(Call call) {
  if (recording) recorded.push_back(std::move(call));
  if (last_call()) ::raise(SIGKILL);
}

ssize_t counted_write(int file, const void* from, std::size_t count, off_t at) {
  if (recording)
    recorded.push_back({Call::Kind::write, static_cast<std::uint64_t>(at),
                        std::string(static_cast<const char*>(from), count)});
  if (last_call()) {
    if (how == Death::half_way) ::syscall(SYS_pwrite64, file, from, count / 2, at);
    ::raise(SIGKILL);
  }
  return ::syscall(SYS_pwrite64, file, from, count, at);
}

void put(std::string& file, std::uint64_t at, std::string_view bytes) {
  if (file.size() < at + bytes.size()) file.resize(at + bytes.size(), '\0');
  std::ranges::copy(bytes, file.begin() + static_cast<std::ptrdiff_t>(at));
}

void carry_out(std::string& file, const Call& call) {
  if (call.kind == Call::Kind::write) put(file, call.at, call.bytes);
  if (call.kind == Call::Kind::truncate) file.resize(call.at, '\0');
}

// What a write that was not flushed may have come to: its first sectors, its last ones, half of its bytes, or
// its length with nothing in it.
void add_torn(const std::string& file, const Call& call, std::vector<DiskState>& states) {
  constexpr std::uint64_t sector = 512;
  for (std::uint64_t cut = (call.at / sector + 1) * sector; cut < call.at + call.bytes.size();
       cut += sector) {
    std::string first = file, last = file;
    put(first, call.at, std::string_view(call.bytes).substr(0, cut - call.at));
    put(last, cut, std::string_view(call.bytes).substr(cut - call.at));
    states.push_back({std::move(first), false});
    states.push_back({std::move(last), false});
  }
  std::string half = file, empty = file;
  put(half, call.at, std::string_view(call.bytes).substr(0, call.bytes.size() / 2));
  put(empty, call.at, std::string(call.bytes.size(), '\0'));
  states.push_back({std::move(half), false});
  states.push_back({std::move(empty), false});
}

}  // namespace

void die_at_call(long k, Death death) {
  calls_left = k;
  how = death;
}

std::vector<Call> record_calls(bool on) {
  recording = on;
  return std::exchange(recorded, {});
}

std::vector<DiskState> states_after_power_cut(const std::string& before, const std::vector<Call>& calls) {
  std::vector<DiskState> states{{before, false}};
  std::string flushed = before;
  std::vector<const Call*> pending;
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (calls[k].kind != Call::Kind::flush) {
      pending.push_back(&calls[k]);
      // Any of the calls since the last flush may have come to the disk without the others.
      for (std::uint64_t some = 0; some < (1U << pending.size()); ++some) {
        std::string file = flushed;
        for (std::size_t j = 0; j < pending.size(); ++j)
          if ((some >> j & 1) != 0) carry_out(file, *pending[j]);
        states.push_back({file, false});
        if (calls[k].kind == Call::Kind::write && (some >> (pending.size() - 1) & 1) == 0)
          add_torn(file, calls[k], states);
      }
      continue;
    }
    for (const Call* call : pending) carry_out(flushed, *call);
    pending.clear();
    states.push_back({flushed, k + 1 == calls.size()});
  }
  return states;
}

namespace {

// The control: the calls of this program are the ones above.
TEST(LedgerFaults, AreThere) {
  record_calls(true);
  const int file = ::dup(STDERR_FILENO);
  ::fdatasync(file);
  ::close(file);
  EXPECT_EQ(record_calls(false).size(), 1U);
  const std::vector<Call> calls = {{Call::Kind::write, 0, std::string(1024, 'x')},
                                   {Call::Kind::flush, 0, ""}};
  EXPECT_GE(states_after_power_cut(std::string(1024, '.'), calls).size(), 5U);
}

}  // namespace
}  // namespace tacit::testing_ledger

// The names with 64 are those that code with large offsets calls.
extern "C" {
ssize_t pwrite(int file, const void* from, std::size_t count, off_t at) {
  return tacit::testing_ledger::counted_write(file, from, count, at);
}
ssize_t pwrite64(int file, const void* from, std::size_t count, off64_t at) {
  return tacit::testing_ledger::counted_write(file, from, count, at);
}
int ftruncate(int file, off_t size) noexcept {
  tacit::testing_ledger::one_call(
      {tacit::testing_ledger::Call::Kind::truncate, static_cast<std::uint64_t>(size), ""});
  return static_cast<int>(::syscall(SYS_ftruncate, file, size));
}
int ftruncate64(int file, off64_t size) noexcept {
  tacit::testing_ledger::one_call(
      {tacit::testing_ledger::Call::Kind::truncate, static_cast<std::uint64_t>(size), ""});
  return static_cast<int>(::syscall(SYS_ftruncate, file, size));
}
int fdatasync(int file) {
  tacit::testing_ledger::one_call({tacit::testing_ledger::Call::Kind::flush, 0, ""});
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}
int fsync(int file) {
  tacit::testing_ledger::one_call({tacit::testing_ledger::Call::Kind::flush, 0, ""});
  return static_cast<int>(::syscall(SYS_fsync, file));
}
}
