#include "tacit/service/outputs.hpp"

#include <filesystem>

#include "tacit/core/error.hpp"

namespace tacit::inline v1::service {

void require_no_input(std::string_view what, const std::string& output,
                      const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (!input.empty() && std::filesystem::equivalent(output, input, ignored))
      throw_error<UsageError>("{} {} would overwrite an input, {}", what, output, input);
  }
}

}  // namespace tacit::inline v1::service
