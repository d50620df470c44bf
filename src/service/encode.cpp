#include "data/encoded/origin.hpp"
#include "service/fit/schema_cost.hpp"
#include "tacit/core.hpp"
#include "tacit/service.hpp"

namespace tacit::inline v1::service {

EncodedFile encode(const ReadOptions& reading, const std::filesystem::path& output,
                   const std::string& schema_file) {
  if (output.extension() != ".tacit")
    throw_error<UsageError>("{}: the file name must end in .tacit", output.string());
  if (std::error_code ignored;
      std::filesystem::exists(output, ignored) && !std::filesystem::is_regular_file(output, ignored))
    throw_error<UsageError>("{}: only regular files can be memory-mapped", output.string());
  const bool released = !schema_file.empty() && schema_release(schema_file, "schema").has_value();
  return encode_file(reading, output, released ? schema_file : "");
}

}  // namespace tacit::inline v1::service
