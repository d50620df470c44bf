#include "table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tacit::fuzz::read_as(tacit::Format::encoded, data, size);
  return 0;
}
