// Loaded before everything else (LD_PRELOAD): one call of one kind fails, all others do what they always do.
//
//   TACIT_FAULT=KIND:K:HOW   the K-th call of that kind fails; KIND is write, space (of a
//                            file), fsync, rename, open, mmap, read, malloc or clock; HOW is ENOSPC, EIO,
//                            EINTR, ENOMEM, short (half of the bytes), lost (half of the bytes, and the call
//                            says that all are written: no program can notice), back (from the K-th call on
//                            the clock is ten years earlier) or none
//   TACIT_FAULT_COUNT=FILE   at the end, how many calls of that kind there were
//
// Messages (descriptor 2) are left alone: what was wrong must be read.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

enum class How { none, error, part, lost, back };

struct Fault {
  char kind[16] = {};
  long at = 0;
  How how = How::none;
  int error = 0;
};

Fault fault;
std::atomic<long> calls{0};
std::atomic<bool> ready{false};

int error_named(const char* name) {
  if (std::strcmp(name, "ENOSPC") == 0) return ENOSPC;
  if (std::strcmp(name, "EIO") == 0) return EIO;
  if (std::strcmp(name, "EINTR") == 0) return EINTR;
  if (std::strcmp(name, "ENOMEM") == 0) return ENOMEM;
  return 0;
}

__attribute__((constructor)) void read_fault() {
  const char* text = std::getenv("TACIT_FAULT");
  if (text == nullptr) return;
  const char* first = std::strchr(text, ':');
  const char* second = first == nullptr ? nullptr : std::strchr(first + 1, ':');
  if (second == nullptr || first - text >= static_cast<long>(sizeof fault.kind)) ::_exit(125);
  std::memcpy(fault.kind, text, static_cast<std::size_t>(first - text));
  fault.at = std::atol(first + 1);
  fault.error = error_named(second + 1);
  fault.how = std::strcmp(second + 1, "short") == 0  ? How::part
              : std::strcmp(second + 1, "lost") == 0 ? How::lost
              : std::strcmp(second + 1, "back") == 0 ? How::back
              : fault.error != 0                     ? How::error
                                                     : How::none;
  ready = true;
}

__attribute__((destructor)) void write_count() {
  const char* path = std::getenv("TACIT_FAULT_COUNT");
  if (path == nullptr) return;
  ready = false;
  char digits[24];
  std::size_t size = 0;
  for (long n = calls.load(); n > 0 || size == 0; n /= 10) digits[size++] = static_cast<char>('0' + n % 10);
  for (std::size_t i = 0; i < size / 2; ++i) std::swap(digits[i], digits[size - 1 - i]);
  const long file = ::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ::syscall(SYS_write, file, digits, size) < 0) ::_exit(125);
}

// What is to become of this call.
How fate(const char* kind) {
  if (!ready || std::strcmp(kind, fault.kind) != 0) return How::none;
  return calls.fetch_add(1) + 1 == fault.at ? fault.how : How::none;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// The body of a wrapper that can only succeed or fail.
#define TACIT_FAIL_OR(kind, failed, call) \
  if (fate(kind) != How::none) {          \
    errno = fault.error;                  \
    return failed;                        \
  }                                       \
  return call

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

ssize_t write(int file, const void* bytes, std::size_t size) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t)>("write");
  if (file == 2) return real(file, bytes, size);
  const How how = fate("write");
  if (how == How::part) return real(file, bytes, (size + 1) / 2);
  if (how == How::lost) return real(file, bytes, size / 2), static_cast<ssize_t>(size);
  if (how == How::error) return errno = fault.error, -1;
  return real(file, bytes, size);
}

ssize_t writev(int file, const iovec* parts, int count) {
  static auto* const real = next<ssize_t(int, const iovec*, int)>("writev");
  if (file == 2) return real(file, parts, count);
  const How how = fate("write");
  if (how == How::part) return real(file, parts, (count + 1) / 2);
  if (how == How::error) return errno = fault.error, -1;
  return real(file, parts, count);
}

ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t at) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  const How how = fate("write");
  if (how == How::part) return real(file, bytes, (size + 1) / 2, at);
  if (how == How::lost) return real(file, bytes, size / 2, at), static_cast<ssize_t>(size);
  if (how == How::error) return errno = fault.error, -1;
  return real(file, bytes, size, at);
}
ssize_t pwrite64(int file, const void* bytes, std::size_t size, off64_t at) {
  return pwrite(file, bytes, size, at);
}

ssize_t read(int file, void* bytes, std::size_t size) {
  static auto* const real = next<ssize_t(int, void*, std::size_t)>("read");
  const How how = fate("read");
  if (how == How::part) return real(file, bytes, (size + 1) / 2);
  if (how == How::error) return errno = fault.error, -1;
  return real(file, bytes, size);
}

ssize_t pread(int file, void* bytes, std::size_t size, off_t at) {
  static auto* const real = next<ssize_t(int, void*, std::size_t, off_t)>("pread");
  const How how = fate("read");
  if (how == How::part) return real(file, bytes, (size + 1) / 2, at);
  if (how == How::error) return errno = fault.error, -1;
  return real(file, bytes, size, at);
}
ssize_t pread64(int file, void* bytes, std::size_t size, off64_t at) { return pread(file, bytes, size, at); }

int fsync(int file) {
  static auto* const real = next<int(int)>("fsync");
  TACIT_FAIL_OR("fsync", -1, real(file));
}
int fdatasync(int file) {
  static auto* const real = next<int(int)>("fdatasync");
  TACIT_FAIL_OR("fsync", -1, real(file));
}

int posix_fallocate(int file, off_t at, off_t size) {
  static auto* const real = next<int(int, off_t, off_t)>("posix_fallocate");
  if (fate("space") != How::none) return fault.error;
  return real(file, at, size);
}
int posix_fallocate64(int file, off64_t at, off64_t size) { return posix_fallocate(file, at, size); }
int ftruncate(int file, off_t size) {
  static auto* const real = next<int(int, off_t)>("ftruncate");
  TACIT_FAIL_OR("space", -1, real(file, size));
}
int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }

int rename(const char* from, const char* to) {
  static auto* const real = next<int(const char*, const char*)>("rename");
  TACIT_FAIL_OR("rename", -1, real(from, to));
}
int link(const char* from, const char* to) {
  static auto* const real = next<int(const char*, const char*)>("link");
  TACIT_FAIL_OR("rename", -1, real(from, to));
}
int linkat(int here, const char* from, int there, const char* to, int flags) {
  static auto* const real = next<int(int, const char*, int, const char*, int)>("linkat");
  TACIT_FAIL_OR("rename", -1, real(here, from, there, to, flags));
}
int renameat2(int here, const char* from, int there, const char* to, unsigned flags) {
  static auto* const real = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  TACIT_FAIL_OR("rename", -1, real(here, from, there, to, flags));
}

static mode_t mode_of(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}
int open(const char* path, int flags, ...) {
  static auto* const real = next<int(const char*, int, ...)>("open");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  TACIT_FAIL_OR("open", -1, real(path, flags, mode));
}
int open64(const char* path, int flags, ...) {
  static auto* const real = next<int(const char*, int, ...)>("open64");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  TACIT_FAIL_OR("open", -1, real(path, flags, mode));
}
int openat(int directory, const char* path, int flags, ...) {
  static auto* const real = next<int(int, const char*, int, ...)>("openat");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  TACIT_FAIL_OR("open", -1, real(directory, path, flags, mode));
}
FILE* fopen(const char* path, const char* how) {
  static auto* const real = next<FILE*(const char*, const char*)>("fopen");
  TACIT_FAIL_OR("open", nullptr, real(path, how));
}
FILE* fopen64(const char* path, const char* how) {
  static auto* const real = next<FILE*(const char*, const char*)>("fopen64");
  TACIT_FAIL_OR("open", nullptr, real(path, how));
}

void* mmap(void* near, std::size_t size, int access, int flags, int file, off_t at) {
  static auto* const real = next<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  TACIT_FAIL_OR("mmap", MAP_FAILED, real(near, size, access, flags, file, at));
}
void* mmap64(void* near, std::size_t size, int access, int flags, int file, off64_t at) {
  return mmap(near, size, access, flags, file, at);
}

static long jump() {
  static std::atomic<bool> jumped{false};
  if (fate("clock") == How::back) jumped = true;
  return jumped ? 10L * 365 * 24 * 3600 : 0;
}
int clock_gettime(clockid_t which, timespec* now) noexcept {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  const int result = real(which, now);
  if (which == CLOCK_REALTIME) now->tv_sec -= jump();
  return result;
}
time_t time(time_t* now) noexcept {
  static auto* const real = next<time_t(time_t*)>("time");
  const time_t result = real(nullptr) - jump();
  if (now != nullptr) *now = result;
  return result;
}

void* malloc(std::size_t size) { TACIT_FAIL_OR("malloc", nullptr, __libc_malloc(size)); }
void* calloc(std::size_t count, std::size_t size) {
  TACIT_FAIL_OR("malloc", nullptr, __libc_calloc(count, size));
}
void* realloc(void* old, std::size_t size) { TACIT_FAIL_OR("malloc", nullptr, __libc_realloc(old, size)); }
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  TACIT_FAIL_OR("malloc", nullptr, __libc_memalign(alignment, size));
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  if (fate("malloc") != How::none) return ENOMEM;
  *result = __libc_memalign(alignment, size);
  return *result == nullptr ? ENOMEM : 0;
}
}
