#include "fuzz.hpp"
#include "service/fit/checkpoint_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tacit;
  const fuzz::MemoryFile file(data, size);
  fuzz::try_it([&] { service::read_checkpoint_header(file.path()); });
  fuzz::try_it([&] { service::read_checkpoint(file.path(), new_ticket()); });
  return 0;
}
