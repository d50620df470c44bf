#include "tacit/core.hpp"
#include "tacit/service.hpp"

namespace tacit::inline v1::service {

EncodedFile encode(const ReadOptions& reading, const std::filesystem::path& output) {
  if (output.extension() != ".tacit")
    throw_error<UsageError>("{}: the file name must end in .tacit", output.string());
  if (std::error_code ignored;
      std::filesystem::exists(output, ignored) && !std::filesystem::is_regular_file(output, ignored))
    throw_error<UsageError>("{}: only regular files can be memory-mapped", output.string());
  return encode_file(reading, output);
}

}  // namespace tacit::inline v1::service
