#pragma once

// Exact sampling by rejection [ours, docs/posterior_exact.md].
//
// Draws      from p ∝ exp(−γΣφᵢ − (ρ/2)‖θ‖²) on a ball, each coordinate rounded to the nearest multiple of a
//            grid: the law of what comes out is exactly that of a rounded real sample of p.
// How        a proposal that provably covers p; proposals are real vectors given by lazily drawn digits, and
// every
//            decision (inside the ball? in its shell? accept?) is decided, with more digits where the doubles
//            cannot tell. There is no cap on the number of trials and no fallback.
// Time       depends on the data.

#include <cstdint>
#include <memory>

#include "sampler/target.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::sampler {

// Whether the loss has a proved envelope: softmax, and every link but Poisson.
TACIT_API bool can_sample(const LossSpec& loss);

// Up to so many parameters, of one score a record, fourth moments are bounded sharply; that costs n·d⁴/4
// [heuristic: speed only].
inline constexpr std::size_t most_sharp_dimensions = 12;

class TACIT_API ExactSampler {
 public:
  // Finds the envelope. The target's problem must outlive the sampler.
  ExactSampler(Target target, unsigned threads);
  ~ExactSampler();
  ExactSampler(ExactSampler&&) noexcept;

  Vector draw(double grid, BitSource& bits);

  // Work done so far: depends on the data, so it never leaves with a release.
  std::uint64_t trials() const;
  std::uint64_t undecided() const;  // decisions that needed more than doubles

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tacit::inline v1::sampler
