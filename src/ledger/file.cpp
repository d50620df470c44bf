#include "ledger/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

using namespace std::chrono_literals;
constexpr auto patience = 60s;  // one charge takes a few milliseconds; many fits may wait for each other

bool refuses_writing(int error) {
  return error == EACCES || error == EPERM || error == EROFS || error == ETXTBSY;
}

}  // namespace

LedgerFile::LedgerFile(const std::filesystem::path& path, Use use) : path_(path.string()) {
  // A file that is put in the place of another while we wait for the lock is the ledger from then on.
  constexpr int attempts = 100;
  for (int k = 0; k < attempts; ++k) {
    open(use);
    try {
      lock(use);
      if (is_at_its_path()) return;
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
    unlock();
    ::close(descriptor_);
  }
  throw_error<WriteError>("{}: the ledger is replaced again and again", path_);
}

LedgerFile::~LedgerFile() {
  unlock();
  ::close(descriptor_);
}

// A fork in another thread may hold a copy of the descriptor: closing ours alone would leave the lock with
// it.
void LedgerFile::unlock() { ::flock(descriptor_, LOCK_UN); }

void LedgerFile::open(Use use) {
  const int mode = use == Use::write ? O_RDWR : O_RDONLY;
  descriptor_ = ::open(path_.c_str(), mode | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);  // a pipe must not block
  if (descriptor_ < 0 && errno == EISDIR)
    throw_error<DataError>("{}: is not a ledger but a directory or device", path_);
  if (descriptor_ < 0 && use == Use::write && refuses_writing(errno)) cannot_write(errno);
  if (descriptor_ < 0)
    throw_error<NotFoundError>("{}: the ledger cannot be opened: {} (`tacit ledger create` makes one)", path_,
                               std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) return;
  ::close(descriptor_);
  throw_error<DataError>("{}: is not a ledger but a directory or device", path_);
}

// flock is on the open file, not on the process: it keeps out other threads, other processes and other
// containers alike, and the kernel lets go of it when the process ends, however it ends.
void LedgerFile::lock(Use use) const {
  const int kind = use == Use::write ? LOCK_EX : LOCK_SH;
  const auto until = std::chrono::steady_clock::now() + patience;
  for (auto pause = 1ms; ::flock(descriptor_, kind | LOCK_NB) != 0; pause = std::min(2 * pause, 16ms)) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      throw_error<WriteError>("{}: the ledger cannot be locked: {}; keep it on a local disk", path_,
                              std::strerror(errno));
    if (std::chrono::steady_clock::now() > until)
      throw_error<WriteError>("{}: the ledger is held by another process for over {} s", path_,
                              patience / 1s);
    std::this_thread::sleep_for(pause);
  }
}

bool LedgerFile::is_at_its_path() const {
  struct stat here {
  }, there{};
  return ::fstat(descriptor_, &here) == 0 && ::stat(path_.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

void LedgerFile::cannot_write(int error) const {
  throw_error<WriteError>("{}: the ledger cannot be written: {}", path_, std::strerror(error));
}

std::uint64_t LedgerFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0)
    throw_error<DataError>("{}: the ledger cannot be read: {}", path_, std::strerror(errno));
  return static_cast<std::uint64_t>(status.st_size);
}

std::string LedgerFile::read(std::uint64_t at, std::uint64_t count) const {
  const std::uint64_t all = size();
  std::string bytes(at < all ? std::min(count, all - at) : 0, '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_error<DataError>("{}: the ledger cannot be read: {}", path_, std::strerror(errno));
    if (got == 0) bytes.resize(done);  // it was cut off meanwhile
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

void LedgerFile::write(std::uint64_t at, std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) cannot_write(done < 0 ? errno : ENOSPC);
    at += static_cast<std::uint64_t>(done);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void LedgerFile::truncate(std::uint64_t size) const {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) cannot_write(errno);
}

void LedgerFile::flush() const {
  if (::fdatasync(descriptor_) != 0) cannot_write(errno);
}

}  // namespace tacit::inline v1
