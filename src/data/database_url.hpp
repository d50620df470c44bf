#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tacit::inline v1 {

// postgresql://… or postgres://…
bool is_database_url(const std::filesystem::path& path);

// The URL for messages: with server, user and database, without password and parameters. Of a URL that
// check_url refuses, only what kind of thing it is: where its password ends cannot be told.
std::string shown_url(std::string_view url);

// UsageError, which shows nothing of the URL, unless its user, password and host are told apart.
void check_url(std::string_view url);

}  // namespace tacit::inline v1
