#include "data/bytes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "data/gzip.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1 {
namespace {

namespace fs = std::filesystem;

class FileStream final : public ByteStream {
 public:
  explicit FileStream(const fs::path& path)
      : FileStream(path.string(), ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  // Takes the descriptor over; a negative one is an open that failed.
  FileStream(std::string name, int descriptor) : name_(std::move(name)), descriptor_(descriptor) {
    if (descriptor_ < 0) throw_error<NotFoundError>("{}: cannot be opened: {}", name_, std::strerror(errno));
  }
  ~FileStream() override { ::close(descriptor_); }

  std::size_t read(char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t count = ::read(descriptor_, to + done, size - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw_error<DataError>("{}: cannot be read: {}", name_, std::strerror(errno));
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

 private:
  std::string name_;
  int descriptor_;
};

class MemoryStream final : public ByteStream {
 public:
  explicit MemoryStream(std::string_view content) : rest_(content) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t count = rest_.copy(to, size);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

std::string all_of(ByteStream&& stream) {
  return read_up_to(stream, std::numeric_limits<std::size_t>::max());
}

// What a command reads twice comes once.
std::shared_ptr<const std::string> standard_input() {
  static const auto content = std::make_shared<const std::string>(
      all_of(FileStream("standard input", ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0))));
  return content;
}

std::shared_ptr<const std::string> kept_content(const fs::path& path) {
  if (path == "-") return standard_input();
  std::error_code error;
  const auto type = fs::status(path, error).type();
  if (type == fs::file_type::not_found) throw_error<NotFoundError>("{}: no such file", path.string());
  if (type == fs::file_type::directory)
    throw_error<DataError>("{}: is a directory, expected a file", path.string());
  if (type == fs::file_type::regular) return nullptr;
  return std::make_shared<const std::string>(read_file(path));
}

}  // namespace

ByteSource::ByteSource(std::string name, std::string rows)
    : name_(std::move(name)), kept_(std::make_shared<const std::string>(std::move(rows))), has_rows_(true) {}

ByteSource::ByteSource(const fs::path& path)
    : path_(path), name_(source_name(path)), kept_(kept_content(path)) {
  const std::string start = read_up_to(*open_raw(), 2);
  if (start.empty()) throw_error<DataError>("{}: {} is empty", name_, path == "-" ? "it" : "the file");
  gzip_ = start == "\x1f\x8b";
  if (!gzip_ && path.extension() == ".gz")
    throw_error<DataError>("{}: is not gzip data, though named .gz", name_);
}

std::unique_ptr<ByteStream> ByteSource::open_raw() const {
  if (kept_) return std::make_unique<MemoryStream>(*kept_);
  return std::make_unique<FileStream>(path_);
}

std::unique_ptr<ByteStream> ByteSource::open() const {
  return gzip_ ? gunzip(open_raw(), name_) : open_raw();
}

ByteSource ByteSource::by_name() const {
  ByteSource named = *this;
  named.gzip_ = path_.extension() == ".gz";
  return named;
}

std::string read_up_to(ByteStream& stream, std::size_t most) {
  constexpr std::size_t block = std::size_t{1} << 16;
  std::string content;
  while (content.size() < most) {
    const std::size_t old_size = content.size(), wanted = std::min(block, most - old_size);
    content.resize(old_size + wanted);
    const std::size_t count = stream.read(content.data() + old_size, wanted);
    content.resize(old_size + count);
    if (count < wanted) break;
  }
  return content;
}

}  // namespace tacit::inline v1
