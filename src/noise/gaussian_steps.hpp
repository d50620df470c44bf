#pragma once

#include <cstdint>

#include "tacit/core.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::noise {

// `steps` vectors, each released with noise N(0, sigma² I); each may depend on what the earlier ones
// released. All together are mu-GDP, mu = √steps · sensitivity/sigma [Dong, Roth & Su 2022, Cor. 3.3], for
// whichever relation the sensitivity is stated: one charge for all.
class TACIT_API GaussianSteps {
 public:
  // The step that is charged, with the least sigma (up to rounding) that keeps `mu`. Coordinates are clamped
  // to [−range, range].
  static Step plan(std::uint64_t steps, double mu, const Sensitivity& sensitivity, double range,
                   std::size_t dimension);

  // Charges the whole run. `meter` must outlive it.
  GaussianSteps(std::uint64_t steps, double mu, const Sensitivity& sensitivity, double range,
                std::size_t dimension, Meter& meter);
  // A copy would release what was paid for once.
  GaussianSteps(const GaussianSteps&) = delete;
  GaussianSteps& operator=(const GaussianSteps&) = delete;

  // Throws UsageError when all steps are taken, and for a sensitivity larger than the one paid for.
  Released<Vector> release(const Sensitive<Vector>& x);

 private:
  Step step_;
  std::uint64_t left_;
  double range_;
  Meter* meter_;
};

}  // namespace tacit::inline v1::noise
