#include "fuzz.hpp"
#include "tacit/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tacit;
  fuzz::try_it([&] { verify_model(fuzz::text_of(data, size), "model"); });
  return 0;
}
