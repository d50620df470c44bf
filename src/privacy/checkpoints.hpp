#pragma once

#include <cstdint>
#include <optional>

#include "tacit/core.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1 {

// Where a long release leaves its state between steps, so that another process can take it up
// (docs/checkpoints.md). The state is released already: whoever holds a checkpoint sees it. A method that
// finds one behind its meter
//   1. begins from resumed(), when there is something, and repeats none of the steps behind it;
//   2. after each step asks due(), and if so calls save().
class TACIT_API Checkpoints {
 public:
  struct Saved {
    std::uint64_t steps = 0;  // taken so far
    Vector state;             // in the method's own layout
  };

  Checkpoints() = default;
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;
  virtual ~Checkpoints() = default;

  // What an earlier process saved last; nothing at a beginning.
  virtual const std::optional<Saved>& resumed() const = 0;
  // Whether to save after `steps` of `planned` steps. After the last it always is.
  virtual bool due(std::uint64_t steps, std::uint64_t planned) const = 0;
  // Throws Interrupted, with the state saved, when the process was asked to stop before the last step.
  virtual void save(std::uint64_t steps, std::uint64_t planned, const Released<Vector>& state) = 0;
};

}  // namespace tacit::inline v1
