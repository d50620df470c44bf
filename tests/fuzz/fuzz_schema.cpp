#include "fuzz.hpp"
#include "tacit/data.hpp"

// A schema that is read is written so that it reads as the same one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tacit;
  fuzz::try_it([&] {
    const Schema schema = parse_schema(fuzz::text_of(data, size), "schema");
    const std::string text = schema_to_json(schema);
    if (schema_to_json(parse_schema(text, "written")) != text) fuzz::finding("read and written, it changes");
    row_norm_bound(schema);
  });
  return 0;
}
