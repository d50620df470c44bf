#pragma once

#include <cstddef>
#include <filesystem>

namespace tacit::inline v1 {

// A file's bytes as memory that the system reads, and drops again, page by page.
class Mapping {
 public:
  // All of a file, for reading. NotFoundError, or DataError where it is no file that can be mapped.
  explicit Mapping(const std::filesystem::path& path);
  // The first `size` bytes of an open file of that length, for reading and writing. The path is for messages.
  Mapping(int descriptor, std::size_t size, const std::filesystem::path& path);
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  const std::byte* bytes() const { return begin_; }
  std::byte* bytes() { return begin_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tacit::inline v1
