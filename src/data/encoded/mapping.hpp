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

  // Asks the system to read these bytes, as far as there are any, without waiting for them.
  void will_need(std::size_t from, std::size_t end) const;

 private:
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
};

// What a thread's pass over a mapping asks for ahead of itself, so that the disk reads on while rows are
// worked on. By itself the system begins to read when a page is missed.
class ReadAhead {
 public:
  // The bytes from this one on are looked at next, and those after them if it goes on like that.
  void at(const Mapping& map, std::size_t here) {
    const std::size_t step = here - last_;
    last_ = here;
    if (step > page)
      near_ = asked_ = 0;
    else if (++near_ > steady)
      pass(map, here);
  }
  // The same for a pass that is known to go on.
  void pass(const Mapping& map, std::size_t here) {
    if (here + distance / 2 > asked_) ask(map, here);
  }

 private:
  // 64 rows, each within a page of the one before, make a pass; those of a small batch are further apart. 8
  // MB are 40 ms of a disk with 200 MB a second [heuristic: speed only].
  static constexpr std::size_t page = 4096, steady = 64, distance = std::size_t{8} << 20;

  void ask(const Mapping& map, std::size_t here);

  std::size_t last_ = 0, asked_ = 0, near_ = 0;
};

}  // namespace tacit::inline v1
