#pragma once

// Metropolis-adjusted Langevin with a constraint [Lin24, Alg. 1].
//
// Samples    about from p ∝ exp(−γΣφᵢ − (ρ/2)‖θ‖²) on a ball: chains on the whole space, until one ends in
//            the ball. There is no cap on the restarts and no fallback point: the paper's is an atom, and an
//            atom breaks privacy (docs/asap_mala.md, "Restarts").
// Assumes    for its law whatever is said of the step size and the number of steps: see sampler/mixing.hpp.
//            The arithmetic is that of doubles.
// Time       depends on the data: the number of restarts does.

#include <cstdint>
#include <functional>
#include <memory>

#include "sampler/target.hpp"
#include "solver/shard_pass.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::sampler {

struct ChainSettings {
  double step_size = 0;     // h > 0, of the Langevin step θ − h∇f + √(2h)z, f = −ln p
  std::uint64_t steps = 0;  // K, of one chain
  double start_scale = 0;   // chains start at N(start, start_scale²·I)
};

class TACIT_API ConstrainedMala {
 public:
  // `start`: the minimiser of f, or near it. The target's problem, which has a link that can_sample()
  // accepts, must outlive the sampler.
  ConstrainedMala(Target target, Vector start, const ChainSettings& settings);
  ~ConstrainedMala();
  ConstrainedMala(ConstrainedMala&&) noexcept;

  Vector draw(BitSource& bits);

  // One chain, wherever it ends; `watch` sees every state, for diagnostics.
  Vector chain(BitSource& bits, const std::function<void(const Vector&)>& watch = {});
  bool inside(const Vector& theta) const;

  // Work done so far: depends on the data, so it never leaves with a release.
  std::uint64_t proposals() const;
  std::uint64_t accepted() const;
  std::uint64_t chains() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// How a shard answers for the records of a potential.
PassKind potential_pass();

}  // namespace tacit::inline v1::sampler
