#include "tacit/fit.hpp"

#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "tacit/core.hpp"
#include "tacit/ledger.hpp"
#include "tacit/model.hpp"

namespace tacit::inline v1::service {

void require_no_input(std::string_view what, const std::string& output,
                      const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (!input.empty() && std::filesystem::equivalent(output, input, ignored))
      throw_error<UsageError>("{} {} would overwrite an input, {}", what, output, input);
  }
}

std::string model_text(const FittedModel& model, const std::filesystem::path& key) {
  const std::string text = model_to_json(model);
  return key.empty() ? text : sign_model(text, read_file(key));
}

void require_signing_key(const std::filesystem::path& key) { sign_model("{}", read_file(key)); }

void require_writable(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  const std::string text = path.string();
  for (const char* suffix : {"", "-wal", "-shm", "-journal"})
    if (text.ends_with(suffix) && is_ledger(text.substr(0, text.size() - std::strlen(suffix))))
      throw_error<WriteError>("{}: belongs to a ledger, and would be lost", text);
  if (std::filesystem::is_directory(status)) throw_error<WriteError>("{}: is a directory", path.string());
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return;  // a device or pipe
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, ignored);
  const std::filesystem::path folder = real.has_parent_path() ? real.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, ignored))
    throw_error<WriteError>("{}: the directory {} does not exist", path.string(), folder.string());
  if (::access(folder.c_str(), W_OK) != 0)
    throw_error<WriteError>("{}: the directory {} is not writable", path.string(), folder.string());
}

}  // namespace tacit::inline v1::service
