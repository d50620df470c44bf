#pragma once

#include "privacy/checkpoints.hpp"
#include "tacit/core.hpp"

namespace tacit::testing {

// Keeps the last state in memory, and stops the run after a step when asked.
class Memory : public Checkpoints {
 public:
  explicit Memory(std::optional<Saved> saved = {}) : saved_(std::move(saved)) {}
  const std::optional<Saved>& resumed() const override { return saved_; }
  bool due(std::uint64_t steps, std::uint64_t planned) const override {
    return steps == stop_after || steps == planned;
  }
  void save(std::uint64_t steps, std::uint64_t planned, const Released<Vector>& state) override {
    saved_ = Saved{steps, state.value()};
    if (steps < planned) throw Interrupted("stopped");
  }

  std::uint64_t stop_after = 0;

 private:
  std::optional<Saved> saved_;
};

}  // namespace tacit::testing
