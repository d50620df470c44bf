#include "core/large_array.hpp"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tacit::inline v1 {

std::vector<double> large_array(std::size_t size) {
  std::vector<double> values;
  values.reserve(size);
#if defined(__linux__)
  // Advice must come before the memory is first written to. It concerns whole pages of 2 MB, and may be
  // refused.
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const auto address = reinterpret_cast<std::uintptr_t>(values.data());
  const std::uintptr_t begin = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + size * sizeof(double)) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
  values.resize(size);
  return values;
}

}  // namespace tacit::inline v1
