#include "data/encoded/mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/new_file.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

Mapping::Mapping(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open())
    throw_error<NotFoundError>("{}: cannot be opened: {}", path.string(), std::strerror(errno));
  struct stat about {};
  if (::fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode))
    throw_error<DataError>("{}: only regular files can be memory-mapped", path.string());
  size_ = static_cast<std::size_t>(about.st_size);
  if (size_ == 0) throw_error<DataError>("{}: the file is empty", path.string());
  void* const at = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.number(), 0);
  if (at == MAP_FAILED)
    throw_error<DataError>("{}: cannot be mapped: {}", path.string(), std::strerror(errno));
  begin_ = static_cast<std::byte*>(at);
}

Mapping::Mapping(int descriptor, std::size_t size, const std::filesystem::path& path) : size_(size) {
  void* const at = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (at == MAP_FAILED) fail_write(path, errno);
  begin_ = static_cast<std::byte*>(at);
}

void Mapping::will_need(std::size_t from, std::size_t end) const {
  constexpr std::size_t page = 4096;
  from = from / page * page;
  end = std::min(end, size_);
  // A system that does not heed it reads what is missed.
  if (from < end) (void)::madvise(begin_ + from, end - from, MADV_WILLNEED);
}

void ReadAhead::ask(const Mapping& map, std::size_t here) {
  map.will_need(std::max(here, asked_), here + distance);
  asked_ = here + distance;
}

Mapping::~Mapping() { ::munmap(begin_, size_); }

}  // namespace tacit::inline v1
