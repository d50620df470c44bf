#pragma once

#include <filesystem>
#include <string>

#include "tacit/core/api.hpp"

namespace tacit::inline v1::service {

// All that a ledger holds, for whoever keeps it: `ledger show` (docs/ledger.md). Sensitive: it has the number
// of failed reads.
TACIT_API std::string shown_ledger_text(const std::filesystem::path& path);
TACIT_API std::string shown_ledger_json(const std::filesystem::path& path);

// For auditors: limits and charges as JSON, without the failed reads.
TACIT_API std::string exported_ledger_json(const std::filesystem::path& path);

}  // namespace tacit::inline v1::service
