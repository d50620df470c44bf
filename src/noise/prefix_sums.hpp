#pragma once

#include <cstddef>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

// Running sums of a stream of private vectors, each unit contributing to one of them, and to the same one
// in both neighbours, under Gaussian DP.

namespace tacit::inline v1::noise {

// mu = increment sensitivity·√(prefix_norm_squared)/sigma: how often, in square, one increment is seen.
TACIT_API double prefix_norm_squared(PrefixKind kind, std::size_t steps);
// The variance of the t-th sum's noise (t from 1) in units of sigma², per coordinate.
TACIT_API double prefix_variance(PrefixKind kind, std::size_t t);
// The variance of the noise of the first `steps` sums added up, in units of sigma², per coordinate.
TACIT_API double prefix_total_variance(PrefixKind kind, std::size_t steps);

class TACIT_API PrefixSums {
 public:
  // Charges the whole stream. `increment` is the ℓ2 sensitivity of each increment; coordinates are clamped to
  // [−range, range]. `meter` must outlive it.
  PrefixSums(PrefixKind kind, std::size_t steps, std::size_t dimension, const Sensitivity& increment,
             double sigma, double range, Meter& meter);
  // A copy would release what was paid for once.
  PrefixSums(const PrefixSums&) = delete;
  PrefixSums& operator=(const PrefixSums&) = delete;

  static Step plan(PrefixKind kind, std::size_t steps, std::size_t dimension, const Sensitivity& increment,
                   double sigma, double range);

  // The sum of all increments so far, with noise. Throws UsageError beyond `steps`, and for an increment
  // of another dimension or with a larger sensitivity than was paid for.
  Released<Vector> add(const Sensitive<Vector>& increment);

 private:
  Vector add_to_tree(const Vector& x);
  Vector add_to_root(const Vector& x);
  Vector noisy(const Vector& x, double range);

  PrefixKind kind_;
  std::size_t steps_, dimension_, taken_ = 0;
  Step step_;
  double increment_total_, range_, increment_grid_;
  Meter* meter_;
  std::vector<Vector> exact_;     // tree: the open node of each level; square root: the increments
  std::vector<Vector> released_;  // tree: the last closed node of each level, noisy; square root: y
  std::vector<double> factor_;    // f
};

}  // namespace tacit::inline v1::noise
