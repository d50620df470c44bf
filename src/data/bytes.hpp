#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace tacit::inline v1 {

// Bytes from first to last.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  // Fills `to` and returns how many bytes it got: fewer than `size` only at the end.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

// A file's content, unpacked when it is gzip, that can be read from its beginning as often as needed. What
// cannot be opened twice (a pipe) is kept in memory; standard input, "-", as long as the process lives.
class ByteSource {
 public:
  // NotFoundError when there is no such file, DataError for a directory or an empty file.
  explicit ByteSource(const std::filesystem::path& path);
  // The rows of a table that is no text, written as text; messages call it by this name.
  ByteSource(std::string name, std::string rows);

  std::unique_ptr<ByteStream> open() const;
  const std::string& name() const { return name_; }
  bool has_rows() const { return has_rows_; }  // which messages count instead of lines

  // The same file, unpacked if its name ends in .gz and not otherwise. Where a file begins with a record,
  // what this record holds must not decide how the others are read.
  ByteSource by_name() const;

 private:
  std::unique_ptr<ByteStream> open_raw() const;

  std::filesystem::path path_;
  std::string name_;
  std::shared_ptr<const std::string> kept_;  // the content, where it is no file that can be opened again
  bool gzip_ = false, has_rows_ = false;
};

// Everything up to `most` bytes.
std::string read_up_to(ByteStream& stream, std::size_t most);

}  // namespace tacit::inline v1
