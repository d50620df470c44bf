#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "privacy/checkpoints.hpp"
#include "tacit/ledger.hpp"

// The checkpoint's file: one line of JSON that says what it belongs to, then the state, locked with the key
// in the ledger.

namespace tacit::inline v1::service {

struct CheckpointHeader {
  std::string release, token;  // as the ledger knows them
  std::uint64_t steps = 0;     // taken so far
  nlohmann::ordered_json fit;  // what the fit was asked for; all of it public
  std::uint64_t planned = 0;   // steps in all; 0: not known yet
};

std::string checkpoint_text(const CheckpointHeader& header, const Vector& state, std::string_view key);

// Nothing when there is no such file. DataError when it is no checkpoint.
std::optional<CheckpointHeader> read_checkpoint_header(const std::filesystem::path& path);

// DataError when the file is not what was written.
Checkpoints::Saved read_checkpoint(const std::filesystem::path& path, const LedgerTicket& ticket);

// UsageError names the first thing in which the two fits differ.
void require_same_fit(const std::filesystem::path& path, const nlohmann::ordered_json& saved,
                      const nlohmann::ordered_json& asked);

}  // namespace tacit::inline v1::service
