#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "ledger/database.hpp"
#include "tacit/ledger.hpp"

// Ledgers of format 1: tables of SQLite, with a write-ahead log beside the file while it is in use. They are
// read and upgraded, and never written.

namespace tacit::inline v1 {

inline constexpr std::size_t version_one_head = 72;  // bytes that tell

bool is_sqlite(std::string_view first_bytes);
bool is_version_one(std::string_view first_bytes);

// Everything in the file. DataError when it is not a ledger, of a newer format, or not what was written.
Ledger read_version_one(const std::filesystem::path& path);
Ledger load_version_one(Database& database);  // inside the caller's transaction

// SHA-256 over all that such a ledger holds, in hex.
std::string seal(const Ledger& ledger);

}  // namespace tacit::inline v1
