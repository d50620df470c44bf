#include "core/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tacit::inline v1 {
namespace {

namespace fs = std::filesystem;

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

fs::path target_of(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path;
  if (error && error != std::errc::no_such_file_or_directory) fail_write(path, error.value());
  return target;
}

int open_new(const fs::path& temporary, NewFile::Readers readers) {
  const mode_t mode = readers == NewFile::Readers::owner ? 0600 : 0666;  // less the umask, as any new file
  return ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

}  // namespace

void fail_write(const fs::path& path, int error) {
  throw_error<WriteError>("{}: cannot be written: {}", path.string(), std::strerror(error));
}

NewFile::NewFile(const fs::path& path, Readers readers) : path_(path), target_(target_of(path)), file_(-1) {
  struct stat old {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) fail_write(path_, EISDIR);
  const fs::path temporary = temporary_beside(target_);
  file_ = Descriptor(open_new(temporary, readers));
  if (!file_.open()) fail_write(path_, errno);
  temporary_ = temporary;
  if (exists && ::fchmod(file_.number(), old.st_mode & 07777) != 0) {
    const int error = errno;
    ::unlink(temporary_.c_str());
    fail_write(path_, error);
  }
}

NewFile::~NewFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void NewFile::keep() {
  if (::fsync(file_.number()) != 0) fail_write(path_, errno);
  if (file_.close() != 0) fail_write(path_, errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_write(path_, errno);
  temporary_.clear();
  flush_directory(target_);
}

}  // namespace tacit::inline v1
