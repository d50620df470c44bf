#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

// Sums over secret random batches, with Gaussian noise: the mechanism of DP-SGD.

namespace tacit::inline v1::noise {

// Each of the records 0 … records−1 joins with probability exactly `rate` (a double in [0, 1]),
// independently; `members` gets those that did, ascending. records < 2^32.
TACIT_API void poisson_batch(std::size_t records, double rate, BitSource& bits,
                             std::vector<std::uint32_t>& members);

// `event.steps` times: a Poisson batch, and a sum over it released with Gaussian noise. A unit that joins
// moves the sum by at most the stated sensitivity, one that does not join moves it not at all. Each step may
// depend on what the earlier ones released. Costs `event`, stated for zero_out and add_remove.
class TACIT_API PoissonGaussian {
 public:
  // The step that is charged: sigma is the multiplier times the sensitivity, rounded up. Coordinates of a sum
  // are clamped to [−range, range].
  static Step plan(const PoissonGaussianEvent& event, const Sensitivity& sensitivity, double range,
                   std::size_t dimension);

  // Charges the whole run. `meter` must outlive it. Throws UsageError unless the budget is for zero_out or
  // add_remove.
  PoissonGaussian(const Step& planned, double range, Meter& meter);
  // A copy would release what was paid for once.
  PoissonGaussian(const PoissonGaussian&) = delete;
  PoissonGaussian& operator=(const PoissonGaussian&) = delete;

  // That an earlier process took this many of the steps already: fewer are left.
  void skip(std::uint64_t taken);

  // Begins the next batch, for those who hold the records to draw by poisson_batch at the rate that is
  // returned, each with bits of their own.
  double begin_batch();
  // The members of the next batch; valid until the next draw.
  std::span<const std::uint32_t> draw(std::size_t records);
  // The sum over that batch, with noise. Throws UsageError without a batch, and for a sum whose sensitivity
  // is larger than the one paid for.
  Released<Vector> release(const Sensitive<Vector>& sum);

 private:
  Step step_;
  PoissonGaussianEvent event_;
  double range_;
  Meter* meter_;
  std::uint64_t taken_ = 0;
  bool drawn_ = false;
  std::vector<std::uint32_t> members_;
};

}  // namespace tacit::inline v1::noise
