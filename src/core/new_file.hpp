#pragma once

#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  int close() { return ::close(std::exchange(number_, -1)); }

 private:
  int number_;
};

[[noreturn]] TACIT_API void fail_write(const std::filesystem::path& path, int error);

// A file that gets its name, in the place of one that has it now, when it is complete. Until then, and if
// that never comes, nothing of it is there.
class TACIT_API NewFile {
 public:
  enum class Readers { as_usual, owner };  // who may read it, where no file of that name says so already

  // WriteError when it cannot be made.
  explicit NewFile(const std::filesystem::path& path, Readers readers = Readers::as_usual);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  int descriptor() const { return file_.number(); }  // for reading and writing
  void keep();                                       // all is written: flushed to the disk, and named

 private:
  std::filesystem::path path_, target_, temporary_;
  Descriptor file_;
};

// As that of tacit/core.hpp, and says who may read a file that is new.
TACIT_API void write_file_atomically(const std::filesystem::path& path, std::string_view content,
                                     NewFile::Readers readers);

}  // namespace tacit::inline v1
