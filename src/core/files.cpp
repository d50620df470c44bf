#include "tacit/core.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace tacit::inline v1 {
namespace {

namespace fs = std::filesystem;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  int close() { return ::close(std::exchange(number_, -1)); }

 private:
  int number_;
};

// Removes a file when it goes out of scope, unless the file has been given its final name.
class Temporary {
 public:
  explicit Temporary(fs::path path) : path_(std::move(path)) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  const fs::path& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  fs::path path_;
};

[[noreturn]] void fail_write(const fs::path& path, int error) {
  throw_error<WriteError>("{}: cannot be written: {}", path.string(), std::strerror(error));
}

void write_all(int descriptor, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_write(path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_directly(const fs::path& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.open()) fail_write(path, errno);
  write_all(file.number(), content, path);
  if (file.close() != 0) fail_write(path, errno);
}

// A name of its own for each process and call, so that concurrent writers never share a file.
fs::path temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> calls{0};
  return path.parent_path() / fmt::format(".{}.{}.{}.tmp", path.filename().string(), ::getpid(), calls++);
}

// The new name is durable only once the directory is on the disk. Some file systems cannot flush a directory;
// the content is safe there too, so that a failure here is not an error.
void flush_directory(const fs::path& path) {
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const Descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.open()) ::fsync(directory.number());
}

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view content) {
  if (path.empty()) throw_error<WriteError>("cannot write a file: its name is empty");
  struct stat old {};
  // A device or pipe, under whatever name: what /dev/stdout links to need not be a path.
  if (::stat(path.c_str(), &old) == 0 && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode))
    return write_directly(path, content);
  std::error_code link_error;
  const fs::path target = fs::is_symlink(path, link_error) ? fs::weakly_canonical(path, link_error) : path;
  if (link_error && link_error != std::errc::no_such_file_or_directory) fail_write(path, link_error.value());

  constexpr mode_t everyone = 0666;  // less the umask, as any new file
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) fail_write(path, EISDIR);

  Temporary temporary(temporary_beside(target));
  Descriptor file(::open(temporary.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, everyone));
  if (!file.open()) {
    const int error = errno;
    temporary.keep();  // not ours
    fail_write(path, error);
  }
  if (exists && ::fchmod(file.number(), old.st_mode & 07777) != 0) fail_write(path, errno);
  write_all(file.number(), content, path);
  if (::fsync(file.number()) != 0) fail_write(path, errno);
  if (file.close() != 0) fail_write(path, errno);
  if (::rename(temporary.path().c_str(), target.c_str()) != 0) fail_write(path, errno);
  temporary.keep();
  flush_directory(target);
}

std::string read_file(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open())
    throw_error<NotFoundError>("{}: cannot be opened: {}", path.string(), std::strerror(errno));
  std::string content;
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t count = ::read(file.number(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_error<DataError>("{}: cannot be read: {}", path.string(), std::strerror(errno));
    if (count == 0) return content;
    content.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace tacit::inline v1
