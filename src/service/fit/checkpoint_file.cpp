#include "service/fit/checkpoint_file.hpp"

#include <cstring>

#include "ledger/lock.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::service {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* format_name = "tacit-checkpoint";
constexpr int format_version = 1;

[[noreturn]] void refuse(const fs::path& path, std::string_view why) {
  throw_error<DataError>("{}: is not a checkpoint that can be used: {}", path.string(), why);
}

// The header's line without its end, and what follows.
std::pair<std::string_view, std::string_view> split(const fs::path& path, std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == text.npos) refuse(path, "it has no header");
  return {text.substr(0, end), text.substr(end + 1)};
}

CheckpointHeader parse_header(const fs::path& path, std::string_view line) {
  try {
    const Json json = Json::parse(line);
    if (json.at("format") != format_name) refuse(path, "it has another format");
    if (json.at("version") != format_version) refuse(path, "it was made by another version of tacit");
    return {.release = json.at("release"),
            .token = json.at("token"),
            .steps = json.at("steps"),
            .fit = json.at("fit"),
            .planned = json.value("planned", std::uint64_t{0})};
  } catch (const Json::exception&) {
    refuse(path, "its header makes no sense");
  }
}

std::string shown(const Json& json, const std::string& key) {
  return json.contains(key) ? json[key].dump(-1, ' ', false, Json::error_handler_t::replace) : "nothing";
}

}  // namespace

std::string checkpoint_text(const CheckpointHeader& header, const Vector& state, std::string_view key) {
  const std::string line = Json{
      {"format", format_name}, {"version", format_version}, {"release", header.release},
      {"token", header.token}, {"steps", header.steps},     {"planned", header.planned},
      {"fit", header.fit}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto size = static_cast<std::size_t>(state.size()) * sizeof(double);
  std::string bytes(size, '\0');
  if (size > 0) std::memcpy(bytes.data(), state.data(), size);
  return line + "\n" + lock_text(bytes, key, line);
}

std::optional<CheckpointHeader> read_checkpoint_header(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  const std::string text = read_file(path);
  return parse_header(path, split(path, text).first);
}

Checkpoints::Saved read_checkpoint(const fs::path& path, const LedgerTicket& ticket) {
  const std::string text = read_file(path);
  if (fingerprint(text) != ticket.file) refuse(path, "it was damaged or edited");
  const auto [line, locked] = split(path, text);
  std::string bytes;
  try {
    bytes = unlock_text(locked, ticket.key, line);
  } catch (const DataError& error) {
    refuse(path, error.what());
  }
  if (bytes.size() % sizeof(double) != 0) refuse(path, "its state makes no sense");
  Checkpoints::Saved saved{.steps = parse_header(path, line).steps, .state = {}};
  saved.state.resize(static_cast<Eigen::Index>(bytes.size() / sizeof(double)));
  if (!bytes.empty()) std::memcpy(saved.state.data(), bytes.data(), bytes.size());
  return saved;
}

void require_same_fit(const fs::path& path, const Json& saved, const Json& asked) {
  // Files of earlier builds of 0.2.0 have the users that there were where user_count stated more: that is
  // secret, and what the fit goes by is user_count. (Files of another version are refused by "version".)
  const bool stated = asked.contains("user_count");
  for (const Json* side : {&saved, &asked})
    for (const auto& [key, value] : side->items())
      if (!(stated && key == "users") && shown(saved, key) != shown(asked, key))
        throw_error<UsageError>(
            "{}: the checkpoint is of a fit with {} = {}, but this one has {}; remove "
            "it, or name another file",
            path.string(), key, shown(saved, key), shown(asked, key));
}

}  // namespace tacit::inline v1::service
