#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "tacit/core.hpp"

// What the fuzz targets share. Bytes may be refused with an error of the library's own, which is one line;
// all else is a finding: another exception, a crash, a message of several lines.

namespace tacit::fuzz {

[[noreturn]] inline void finding(const std::string& what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}

// Runs `use`, which may refuse.
template <class Use>
void try_it(Use use) {
  try {
    use();
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.empty()) finding("an error without a message");
    if (message.find('\n') != message.npos) finding("a message of several lines: " + std::string(message));
  }
}

// The bytes as a file that lies in memory, with a name that every library can open.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size)
      : path_("/dev/shm/tacit-fuzz-" + std::to_string(::getpid())) {
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    if (!file.flush()) finding("no room for a file in memory");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::unlink(path_.c_str()); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace tacit::fuzz
