#include "tacit/fit.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

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

void require_new(std::string_view what, const std::string& path, bool force, std::string_view how) {
  std::error_code ignored;
  if (!force && std::filesystem::is_regular_file(path, ignored))
    throw_error<UsageError>("{} {} exists; {} overwrites it", what, path, how);
}

namespace {
std::string unspaced(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}
}  // namespace

void require_same_kind(std::string_view what, const std::string& path, std::string_view begins,
                       std::string_view kind) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::is_regular_file(path, ignored)) return;
  constexpr std::size_t room = 64;  // for line ends and blanks, which files of one kind may have or not
  std::string start(begins.size() + room, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  if (start.empty() || unspaced(start).starts_with(unspaced(std::string(begins)))) return;
  const bool vowel = std::string_view("aeiou").find(kind.front()) != std::string_view::npos;
  throw_error<UsageError>("{} {} exists and is not {} {}; remove it, or name another file", what, path,
                          vowel ? "an" : "a", kind);
}

std::string model_text(const FittedModel& model, const std::filesystem::path& key) {
  const std::string text = model_to_json(model);
  return key.empty() ? text : sign_model(text, read_file(key));
}

void require_signing_key(const std::filesystem::path& key) { sign_model("{}", read_file(key)); }

namespace {

[[noreturn]] void cannot_be_written(const std::filesystem::path& path) {
  throw_error<WriteError>("{}: cannot be written: {}", path.string(), std::strerror(errno));
}

// Asks for the right to write, or makes a file beside the new one: what forbids it is found here, and not
// when there is something to lose. A device or pipe is not opened: whoever reads a pipe would take its
// closing for the end.
void try_device(const std::filesystem::path& path) {
  if (::access(path.c_str(), W_OK) != 0) cannot_be_written(path);
}
void try_file(const std::filesystem::path& path) {
  const std::filesystem::path trial =
      path.parent_path() / fmt::format(".{}.{}.try.tmp", path.filename().string(), ::getpid());
  const int made = ::open(trial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made < 0) cannot_be_written(path);
  ::close(made);
  ::unlink(trial.c_str());
}

}  // namespace

void require_writable(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  const std::string text = path.string();
  for (const char* suffix : {"", "-wal", "-shm", "-journal"})
    if (text.ends_with(suffix) && is_ledger(text.substr(0, text.size() - std::strlen(suffix))))
      throw_error<WriteError>("{}: belongs to a ledger, and would be lost", text);
  if (std::filesystem::is_directory(status)) throw_error<WriteError>("{}: is a directory", path.string());
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return try_device(path);
  std::filesystem::path real = std::filesystem::weakly_canonical(path, ignored);
  if (real.empty()) real = path;
  const std::filesystem::path folder = real.has_parent_path() ? real.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, ignored))
    throw_error<WriteError>("{}: the directory {} does not exist", path.string(), folder.string());
  if (::access(folder.c_str(), W_OK) != 0)
    throw_error<WriteError>("{}: the directory {} is not writable", path.string(), folder.string());
  try_file(real);
}

}  // namespace tacit::inline v1::service
