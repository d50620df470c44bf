#include "data/bytes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "data/gzip.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

namespace fs = std::filesystem;

class FileStream final : public ByteStream {
 public:
  explicit FileStream(const fs::path& path)
      : name_(path.string()), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
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

}  // namespace

ByteSource::ByteSource(const fs::path& path) : path_(path), name_(path.string()) {
  std::error_code error;
  const auto type = fs::status(path, error).type();
  if (type == fs::file_type::not_found) throw_error<NotFoundError>("{}: no such file", name_);
  if (type == fs::file_type::directory) throw_error<DataError>("{}: is a directory, expected a file", name_);
  if (type != fs::file_type::regular) kept_ = read_file(path);

  const std::string start = read_up_to(*open_raw(), 2);
  if (start.empty()) throw_error<DataError>("{}: the file is empty", name_);
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
