#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/new_file.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view content) {
  write_file_atomically(path, content, NewFile::Readers::as_usual);
}

void write_file_atomically(const fs::path& path, std::string_view content, NewFile::Readers readers) {
  if (path.empty()) throw_error<WriteError>("cannot write a file: its name is empty");
  struct stat old {};
  // A device or pipe, under whatever name: what /dev/stdout links to need not be a path.
  if (::stat(path.c_str(), &old) == 0 && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode))
    return write_directly(path, content);
  NewFile file(path, readers);
  write_all(file.descriptor(), content, path);
  file.keep();
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
