#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tacit/core/api.hpp"
#include "tacit/privacy/ledger.hpp"

// What whoever keeps a ledger does with it beside charging it. The functions throw what those of
// tacit/privacy/ledger.hpp throw.

namespace tacit::inline v1 {

// The terms alone, in the same time whatever the ledger holds.
TACIT_API LedgerTerms read_ledger_terms(const std::filesystem::path& path);

// Brings a ledger of format 1 to format 2, with all that is in it. Whether there was anything to do.
TACIT_API bool upgrade_ledger(const std::filesystem::path& path);

// A fit of this name failed on the content of records: that it did tells something about them, free of
// charge.
TACIT_API void record_failed_read(const std::filesystem::path& path, const std::string& name);
// How many did. Sensitive.
TACIT_API std::uint64_t failed_reads(const std::filesystem::path& path);

}  // namespace tacit::inline v1
