#include <algorithm>
#include <cmath>

#include "algorithm/nonconvex/smoothing.hpp"
#include "algorithm/nonconvex/theory.hpp"
#include "noise/prefix_sums.hpp"
#include "tacit/core.hpp"

// How far the private gradients are from the true ones [docs/o2nc.md, "The bound"].

namespace tacit::inline v1::nonconvex {

namespace {

// One record's estimate, before it is clipped: E‖estimate − mean‖² ≤ variance, less ‖mean‖²·shared.
struct Spread {
  double variance = 0, shared = 0;
  double mean = 0;     // ‖mean‖ is at most this
  double longest = 0;  // the estimate itself is at most this long

  // Of the estimate, clipped to a norm: a projection shortens and brings nearer.
  double square_mean(double clip) const {
    return std::min(square(clip), square(mean) * (1 - shared) + variance);
  }
  double clipped_variance(double clip) const { return std::min(square(clip), variance); }
  double bias(double clip) const;
};

// E(‖X‖ − c)₊ for ‖EX‖ = ρ ≤ c: at most √V, V/4(c − ρ) and E‖X‖²/4c, with V = variance − shared·ρ². Means
// longer than any ρ₀ have V at most that of ρ₀, shorter ones are c − ρ₀ away.
double Spread::bias(double clip) const {
  if (longest <= clip) return 0;
  double least = std::min(std::sqrt(variance), (square(mean) * (1 - shared) + variance) / (4 * clip));
  for (double share = 0.02; share < 1; share += 0.02) {
    const double rho = share * clip, long_ones = std::sqrt(std::max(0.0, variance - shared * square(rho)));
    least = std::min(least, std::max(long_ones, variance / (4 * (clip - rho))));
  }
  return least;
}

struct Spreads {
  Spread fresh, change;
};
Spreads spreads(std::size_t parameters, const Sizes& sizes, const Options& options) {
  const double l = options.lipschitz, m = as_double(sizes.directions), distance = 2 * sizes.step_cap;
  const double change = l * gradient_change(parameters, distance, sizes.smoothing);
  if (options.estimate == Estimate::gradients)
    return {{.variance = l * l / m, .shared = 1 / m, .mean = l, .longest = l},
            {.variance = 4 * l * l / m, .shared = 1 / m, .mean = change, .longest = 2 * l}};
  // With the same directions at both points each difference changes by at most 2L‖z_t − z_{t−1}‖.
  const double v = l * l * two_point_moment(parameters),
               moved = std::min(4 * v, square(as_double(parameters) * l * distance / sizes.smoothing));
  const double shared = 1 / as_double(direction_groups(parameters, sizes.directions));
  const double longest = l * longest_estimate(parameters, sizes.directions);
  return {{.variance = v / m, .shared = shared, .mean = l, .longest = longest},
          {.variance = moved / m,
           .shared = shared,
           .mean = change,
           .longest = longest * std::min(2.0, distance / sizes.smoothing)}};
}

}  // namespace

OracleErrors oracle_errors(const RunShape& run, const Sizes& sizes, const Options& options) {
  const double d = as_double(run.parameters), n = as_double(run.records);
  const ClipNorms clip = clip_norms(run.parameters, sizes, options);
  const Batches batch = batches(run, sizes, options);
  const Spreads spread = spreads(run.parameters, sizes, options);
  const double b1 = as_double(batch.start), b2 = as_double(batch.change);
  const bool changes = sizes.period > 1;
  // One record moves a sum by clip/B, or by 2·clip/B where it is replaced. A sampled one moves it by clip/B,
  // and as it rarely joins the noise multiplier is about (B/n)/mu [heuristic: utility only].
  const double moved = options.pass == Pass::sampled ? b1 / n : contributions_moved(options);
  OracleErrors errors;
  errors.fresh_bias = spread.fresh.bias(clip.start);
  if (changes) errors.change_bias = spread.change.bias(clip.change);
  if (options.pass == Pass::multi) {
    errors.fresh = spread.fresh.clipped_variance(clip.start) / b1;
    if (changes) errors.change = spread.change.clipped_variance(clip.change) / b2;
  } else {
    errors.fresh = spread.fresh.square_mean(clip.start) / b1;
    if (changes) errors.change = spread.change.square_mean(clip.change) / b2;
  }
  if (options.pass == Pass::single) {
    errors.fresh += d * square(moved * clip.start / (b1 * run.mu));
    if (changes)
      errors.prefix = d * square(moved * clip.change / (b2 * run.mu)) *
                      noise::prefix_norm_squared(options.prefix, sizes.period - 1);
    return errors;
  }
  const Shares mu = shares(run, sizes, options);
  errors.fresh += d * square(moved * clip.start / (b1 * mu.start));
  if (changes) errors.change += d * square(moved * clip.change / (b2 * mu.change));
  return errors;
}

}  // namespace tacit::inline v1::nonconvex
