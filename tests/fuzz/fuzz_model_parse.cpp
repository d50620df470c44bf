#include "fuzz.hpp"
#include "tacit/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tacit;
  fuzz::try_it([&] {
    const FittedModel model = parse_model(fuzz::text_of(data, size), "model");
    coefficients(model);
    curves(model);
  });
  return 0;
}
