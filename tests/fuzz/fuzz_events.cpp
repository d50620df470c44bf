#include "fuzz.hpp"
#include "tacit/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tacit;
  fuzz::try_it([&] { parse_events(fuzz::text_of(data, size), "events"); });
  return 0;
}
