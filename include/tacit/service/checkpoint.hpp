#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "tacit/core/api.hpp"
#include "tacit/service/ledger.hpp"

namespace tacit::inline v1::service {

// Where a long fit leaves its state, so that it can be stopped and taken up again without a second charge
// (docs/checkpoints.md). Needs a ledger, and a method that can.
struct CheckpointUse {
  std::filesystem::path path;  // of the checkpoint; a fit takes it up when it exists
  std::uint64_t every = 0;     // steps between saves; 0: a fiftieth of all
  std::function<bool()> stop;  // asked after every step: true saves and throws Interrupted
  std::string schema = {};     // tells one schema of the data from another
};

// To be called once the model is where it should be: the checkpoint is closed in the ledger and removed.
// Until then the fit can be taken up again, and gives the same model.
TACIT_API void finish_checkpoint(const CheckpointUse& use, const LedgerUse& ledger);

}  // namespace tacit::inline v1::service
