#include "algorithm/nonconvex/theory.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/nonconvex/smoothing.hpp"
#include "noise/prefix_sums.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::nonconvex {

namespace {

// Two consecutive z are at most 2D apart: ‖z_t − z_{t−1}‖ ≤ (1 − s_{t−1})‖Δ_{t−1}‖ + s_t‖Δ_t‖.
double furthest(const Sizes& sizes) { return 2 * sizes.step_cap; }

// In units of L, what nothing is cut to.
double longest(std::size_t parameters, const Sizes& sizes, const Options& options) {
  return options.bound == Bound::worst ? as_double(parameters)
                                       : longest_estimate(parameters, sizes.directions);
}

// Of the prefix sums of a period: ‖one increment in the releases‖², and the mean variance of a sum in units
// of sigma².
struct PrefixCost {
  double norm_squared = 0, variance = 0;
};
PrefixCost prefix_cost(noise::PrefixKind kind, std::size_t steps) {
  PrefixCost cost{noise::prefix_norm_squared(kind, steps), 0};
  double f = 1, variance = 0, total = 0;
  for (std::size_t t = 1; t <= steps; ++t) {
    if (kind == noise::PrefixKind::square_root) {
      variance += f * f;  // Σ_{k<t} f_k², in one sweep
      f *= 1 - 0.5 / as_double(t);
    } else {
      variance = noise::prefix_variance(kind, t);
    }
    total += variance;
  }
  cost.variance = total / as_double(steps);
  return cost;
}

}  // namespace

double clip_norm_at(double distance, std::size_t parameters, const Sizes& sizes, const Options& options) {
  const double l = options.lipschitz;
  if (options.bound == Bound::smoothed) return l * gradient_change(parameters, distance, sizes.smoothing);
  // A difference of values changes by at most 2L·distance, and is at most 2αL.
  return l * longest(parameters, sizes, options) * std::min(2.0, distance / sizes.smoothing);
}

ClipNorms clip_norms(std::size_t parameters, const Sizes& sizes, const Options& options) {
  const double l = options.lipschitz;
  return {options.bound == Bound::smoothed ? l : l * longest(parameters, sizes, options),
          clip_norm_at(furthest(sizes), parameters, sizes, options)};
}

Batches batches(const RunShape& run, const Sizes& sizes, const Options& options) {
  if (options.pass == Pass::multi) return {run.records, run.records};
  if (options.pass == Pass::sampled) {
    const std::size_t usual = std::min(std::max<std::size_t>(64, run.records / 32), run.records);
    const std::size_t batch = options.batch ? static_cast<std::size_t>(*options.batch) : usual;
    return {batch, batch};
  }
  const std::size_t each = run.records / sizes.periods();
  if (sizes.period == 1) return {each, each};
  // Noise a/B₁² + c/B₂² is least under B₁ + (Σ−1)B₂ = r where B₁³/B₂³ = a(Σ−1)/c.
  const ClipNorms clip = clip_norms(run.parameters, sizes, options);
  const PrefixCost cost = prefix_cost(options.prefix, sizes.period - 1);
  const double changes = as_double(sizes.period - 1);
  const double ratio =
      std::cbrt(square(clip.start) * changes / (square(clip.change) * cost.norm_squared * cost.variance));
  const auto change = static_cast<std::size_t>(as_double(each) / (ratio + changes));
  const std::size_t used = change * (sizes.period - 1);
  return {each > used && change > 0 ? each - used : 0, change};
}

// The mean over a period of the noise A/share + C(Σ−1)/2/(1−share), A and C those of fresh gradients and
// changes, is least at share = √A/(√A + √C'). [heuristic: utility only]
Shares shares(const RunShape& run, const Sizes& sizes, const Options& options) {
  const double starts = as_double(sizes.periods()), changes = as_double(sizes.steps) - starts;
  if (changes == 0) return {run.mu / std::sqrt(starts), 0};
  const ClipNorms clip = clip_norms(run.parameters, sizes, options);
  const double a = clip.start * std::sqrt(starts);
  const double c = clip.change * std::sqrt(changes * as_double(sizes.period - 1) / 2);
  const double share = std::clamp(a / (a + c), 0.02, 0.98);
  return {run.mu * std::sqrt(share / starts), run.mu * std::sqrt((1 - share) / changes)};
}

double mean_oracle_error(const RunShape& run, const Sizes& sizes, const Options& options) {
  const OracleErrors errors = oracle_errors(run, sizes, options);
  if (sizes.period == 1) return errors.fresh;
  const double changes = as_double(sizes.period - 1);
  const double variance = errors.prefix > 0 ? prefix_cost(options.prefix, sizes.period - 1).variance : 0;
  return errors.fresh + errors.change * changes / 2 + errors.prefix * variance;
}

// A mean of n vectors of norm ≤ L is within L/√n of its mean in expectation and, by bounded differences,
// within L√(2 ln(1/ζ)/n) more but for ζ; a net of spacing r costs 2Sr, r = L/(S√n), and a union over (1 +
// 2R/r)^d points.
double population_gap(std::size_t records, std::size_t parameters, double smoothing, double reach,
                      double failure) {
  const double n = as_double(records), d = as_double(parameters);
  const double spacing = smoothing / (smoothness_constant(parameters) * std::sqrt(n));
  const double logarithm = d * std::log1p(2 * reach / spacing) - std::log(failure);
  return (3 + std::sqrt(2 * logarithm)) / std::sqrt(n);
}

}  // namespace tacit::inline v1::nonconvex
