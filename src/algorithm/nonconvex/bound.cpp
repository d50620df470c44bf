#include <algorithm>
#include <cmath>

#include "algorithm/nonconvex/theory.hpp"
#include "noise/prefix_sums.hpp"
#include "tacit/core.hpp"

// Proposition 2.6 with the errors of a period told apart [docs/o2nc.md, "The bound"].

namespace tacit::inline v1::nonconvex {

namespace {

// Means over the steps t = 0 … Σ−1 of a period, for ‖∇F_α‖ ≤ L. Notation: b_t is what g̃_t's error has in
// common with earlier steps (its mean given all that was before), γ_t² ≥ E‖g̃_t‖².
struct Period {
  double squares = 0;    // γ_t²
  double inherited = 0;  // √E‖b_t‖²
  double drift = 0;      // √E‖b_t‖²·Σ_{j<t} γ_j
  double bias = 0;
  double worst = 0;  // the largest E‖g̃_t − ∇F_α(z_t)‖², bias apart
  double sum = 0;    // E‖Σ_t (g̃_t − ∇F_α(z_t))‖², bias apart
};

Period over_period(const OracleErrors& errors, const Sizes& sizes, const Options& options,
                   double fresh_clip) {
  const bool root = options.prefix == noise::PrefixKind::square_root;
  const double l = options.lipschitz, steps = as_double(sizes.period);
  Period mean;
  double f = 1, variance = 0, norms = 0;  // Σ_{j<t} γ_j
  for (std::size_t t = 0; t < sizes.period; ++t) {
    double common = 0, own = errors.fresh, length = std::min(l + errors.fresh_bias, fresh_clip);
    const double bias = errors.fresh_bias + as_double(t) * errors.change_bias;
    if (t > 0) {
      if (root) {
        variance += f * f;
        f *= 1 - 0.5 / as_double(t);
      } else {
        variance = noise::prefix_variance(options.prefix, t);
      }
      // The square root's newest noise is of this step alone.
      const double newest = root ? 1 : 0;
      common = errors.fresh + as_double(t - 1) * errors.change + errors.prefix * (variance - newest);
      own = errors.change + errors.prefix * newest;
      length = l + bias;
    }
    const double shared = std::sqrt(common), gamma_squared = square(length + shared) + own;
    mean.squares += gamma_squared / steps;
    mean.inherited += shared / steps;
    mean.drift += shared * norms / steps;
    mean.bias += bias / steps;
    mean.worst = std::max(mean.worst, common + own);
    norms += std::sqrt(gamma_squared);
  }
  const double changes = steps - 1;
  mean.sum = square(steps) * errors.fresh + errors.change * changes * (changes + 1) * (2 * changes + 1) / 6;
  if (errors.prefix > 0)
    mean.sum += errors.prefix * noise::prefix_total_variance(options.prefix, sizes.period - 1);
  return mean;
}

}  // namespace

StationarityBound stationarity_bound(const RunShape& run, const Sizes& sizes, const Options& options) {
  const double fresh_clip = clip_norms(run.parameters, sizes, options).start;
  const Period mean = over_period(oracle_errors(run, sizes, options), sizes, options, fresh_clip);
  const double cap = sizes.step_cap, block = as_double(sizes.averaging);
  // The sum of a block's errors, over M: of whole periods, or else each at its worst.
  const double shared = sizes.averaging % sizes.period == 0
                            ? std::sqrt(mean.sum / (block * as_double(sizes.period)))
                            : std::sqrt(mean.worst);
  const auto with = [&](double step_size) {
    StationarityBound bound;
    bound.progress = (options.gap + options.lipschitz * sizes.smoothing) / (cap * as_double(sizes.steps));
    bound.regret = 2 * cap / (step_size * block) + step_size * mean.squares / (2 * cap);
    bound.oracle = shared + std::min(mean.inherited, step_size * mean.drift / cap);
    bound.clipping = 2 * mean.bias;
    bound.step_size = step_size;
    return bound;
  };
  if (options.step_size) return with(*options.step_size);
  // Least for either of the two that `oracle` is the lesser of.
  const StationarityBound whole = with(2 * cap / std::sqrt(block * mean.squares)),
                          slower = with(2 * cap / std::sqrt(block * (mean.squares + 2 * mean.drift)));
  return slower.total() < whole.total() ? slower : whole;
}

}  // namespace tacit::inline v1::nonconvex
