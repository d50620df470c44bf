#include "data/database_url.hpp"

#include <algorithm>
#include <optional>

#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

struct UrlParts {
  std::string_view scheme{}, user{}, host{}, database{};  // host: with its port
};

std::string_view scheme_of(std::string_view url) {
  for (const std::string_view scheme : {"postgresql://", "postgres://"})
    if (url.starts_with(scheme)) return scheme;
  return {};
}

bool has(std::string_view text, char c) { return text.find(c) != text.npos; }

bool is_port(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// An @ or : inside a password must be written as %40 or %3A: otherwise a part of it would pass for the host,
// the port or the database, which messages name.
std::optional<UrlParts> parts_of(std::string_view url) {
  UrlParts parts{.scheme = scheme_of(url)};
  std::string_view rest = url.substr(parts.scheme.size());
  rest = rest.substr(0, rest.find('?'));
  if (std::ranges::count(url, '@') > (has(rest, '@') ? 1 : 0)) return std::nullopt;
  const std::string_view server = rest.substr(0, rest.find('/'));
  if (server.size() < rest.size()) parts.database = rest.substr(server.size() + 1);
  if (has(parts.database, '@') || has(parts.database, '/')) return std::nullopt;
  const auto at = server.find('@');
  parts.host = at == server.npos ? server : server.substr(at + 1);
  if (at != server.npos) {
    const std::string_view user = server.substr(0, at);
    parts.user = user.substr(0, user.find(':'));
    if (std::ranges::count(user, ':') > 1) return std::nullopt;
  }
  const auto bracket = parts.host.rfind(']');  // an IPv6 address
  const std::string_view after = bracket == parts.host.npos ? parts.host : parts.host.substr(bracket + 1);
  if (const auto colon = after.find(':'); colon != after.npos && !is_port(after.substr(colon + 1)))
    return std::nullopt;
  return parts;
}

}  // namespace

bool is_database_url(const std::filesystem::path& path) { return !scheme_of(path.native()).empty(); }

std::string shown_url(std::string_view url) {
  const auto parts = parts_of(url);
  if (!parts) return "the URL of the database";
  return fmt::format("{}{}{}{}{}{}", parts->scheme, parts->user, parts->user.empty() ? "" : "@", parts->host,
                     parts->database.empty() ? "" : "/", parts->database);
}

void check_url(std::string_view url) {
  if (!parts_of(url))
    throw_error<UsageError>(
        "the URL of the database cannot be taken apart, expected "
        "postgresql://USER:PASSWORD@HOST:PORT/DATABASE "
        "with @ : / ? of a password written as %40 %3A %2F %3F");
}

}  // namespace tacit::inline v1
