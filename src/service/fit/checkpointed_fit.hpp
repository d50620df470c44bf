#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "privacy/checkpoints.hpp"
#include "service/fit/checkpoint_file.hpp"
#include "tacit/fit.hpp"
#include "tacit/ledger.hpp"

namespace tacit::inline v1::service {

// What a stopped fit says of the ledger, and of its checkpoint.
inline constexpr const char* stays_charged = "what the ledger was charged stays charged";
std::string goes_on_from(const std::filesystem::path& checkpoint);

// Before the data is read: throws what a checkpoint that exists would be refused with, or, without one, what
// the charge would be.
void check_checkpoint(const CheckpointUse& use, const LedgerUse& ledger, const LedgerRequest& request);

// The checkpoints of one fit. At every time one of them counts, the one whose ticket the ledger holds; it
// lies at `path`, or at `path`.next when a process ended between the ledger's commit and the renaming.
class CheckpointedFit : public Checkpoints {
 public:
  // Opens the checkpoint that counts, if there is one. `fit` is what the fit is asked for.
  CheckpointedFit(CheckpointUse use, LedgerUse ledger, LedgerRequest request, nlohmann::ordered_json fit);

  // Right before the first noise: charges the ledger, unless an earlier process did. Returns the release's
  // id.
  std::string charge();

  const std::optional<Saved>& resumed() const override { return resumed_; }
  bool due(std::uint64_t steps, std::uint64_t planned) const override;
  void save(std::uint64_t steps, std::uint64_t planned, const Released<Vector>& state) override;

 private:
  class Lock;
  bool stopping() const;
  std::filesystem::path next() const;
  LedgerTicket write_next(std::uint64_t steps, std::uint64_t planned,
                          const Vector& state) const;  // and what it needs to count
  void install(const LedgerTicket& ticket);

  CheckpointUse use_;
  LedgerUse ledger_;
  LedgerRequest request_;
  nlohmann::ordered_json fit_;
  std::shared_ptr<Lock> lock_;
  std::string release_;  // empty before the charge
  std::string token_;    // of the checkpoint that counts
  std::optional<Saved> resumed_;
  mutable bool stopping_ = false;  // since the caller said so
};

}  // namespace tacit::inline v1::service
