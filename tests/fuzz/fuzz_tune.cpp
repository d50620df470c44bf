#include "fuzz.hpp"
#include "tacit/fit.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tacit;
  const fuzz::MemoryFile file(data, size);
  fuzz::try_it([&] { service::load_tuning(file.path()); });
  return 0;
}
