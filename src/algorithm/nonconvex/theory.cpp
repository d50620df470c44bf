#include "algorithm/nonconvex/theory.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/nonconvex/smoothing.hpp"
#include "noise/prefix_sums.hpp"

namespace tacit::inline v1::nonconvex {

namespace {

double as_double(std::size_t x) { return static_cast<double>(x); }
double square(double x) { return x * x; }

// Two consecutive z are at most 2D apart: ‖z_t − z_{t−1}‖ ≤ (1 − s_{t−1})‖Δ_{t−1}‖ + s_t‖Δ_t‖.
double furthest(const Sizes& sizes) { return 2 * sizes.step_cap; }

// What ∇f_α itself can change by between two steps.
double true_change(std::size_t parameters, const Sizes& sizes, const Options& options) {
  return options.lipschitz * gradient_change(parameters, furthest(sizes), sizes.smoothing);
}

// Of the t-th of `steps` prefix sums in units of sigma²·‖one increment in the releases‖², t at the worst step
// or on average.
struct PrefixCost {
  double norm_squared = 0, variance = 0;
};
PrefixCost prefix_cost(noise::PrefixKind kind, std::size_t steps, Over over) {
  PrefixCost cost{noise::prefix_norm_squared(kind, steps), 0};
  if (kind == noise::PrefixKind::square_root) {
    // Σ_{k<t} f_k², in one sweep; it grows with t.
    double f = 1, variance = 0, total = 0;
    for (std::size_t t = 1; t <= steps; ++t) {
      variance += f * f;
      total += variance;
      f *= 1 - 0.5 / as_double(t);
    }
    cost.variance = over == Over::worst ? variance : total / as_double(steps);
    return cost;
  }
  double worst = 0, total = 0;
  for (std::size_t t = 1; t <= steps; ++t) {
    const double variance = noise::prefix_variance(kind, t);
    worst = std::max(worst, variance);
    total += variance;
  }
  cost.variance = over == Over::worst ? worst : total / as_double(steps);
  return cost;
}

// E‖estimate − expectation‖² of one record and one direction.
struct DirectionVariance {
  double start = 0, change = 0;
};
DirectionVariance direction_variance(std::size_t parameters, const Sizes& sizes, const Options& options) {
  const double l = options.lipschitz, d = as_double(parameters);
  if (options.estimate == Estimate::gradients) return {l * l, 4 * l * l};
  const double v = l * l * two_point_moment(parameters);
  // With the same directions at both points each difference changes by at most 2L‖z_t − z_{t−1}‖.
  return {v, std::min(4 * v, square(d * l * furthest(sizes) / sizes.smoothing))};
}

}  // namespace

ClipNorms clip_norms(std::size_t parameters, const Sizes& sizes, const Options& options) {
  const double l = options.lipschitz;
  if (options.bound == Bound::smoothed) return {l, true_change(parameters, sizes, options)};
  const double d = as_double(parameters);
  return {l * d, l * d * std::min(2.0, furthest(sizes) / sizes.smoothing)};
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
  const PrefixCost cost = prefix_cost(options.prefix, sizes.period - 1, Over::mean);
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

OracleError oracle_error(const RunShape& run, const Sizes& sizes, const Options& options, Over over) {
  const double d = as_double(run.parameters), changes = as_double(sizes.period - 1);
  const double count = over == Over::worst ? changes : changes / 2;  // of changes that have added up
  const ClipNorms clip = clip_norms(run.parameters, sizes, options);
  const Batches batch = batches(run, sizes, options);
  const DirectionVariance direction = direction_variance(run.parameters, sizes, options);
  const double b1 = as_double(batch.start), b2 = as_double(batch.change), m = as_double(sizes.directions);
  OracleError error;
  error.sampling = direction.start / (m * b1) + count * direction.change / (m * b2);
  if (options.pass != Pass::single) {
    // One replaced record moves a sum by 2·clip/n. A sampled one moves it by clip/B, and as it rarely joins
    // the noise multiplier is about (B/n)/mu [heuristic: utility only].
    const double moved = options.pass == Pass::multi ? 2 : b1 / as_double(run.records);
    const Shares mu = shares(run, sizes, options);
    error.noise = d * square(moved * clip.start / (b1 * mu.start));
    if (changes > 0) error.noise += d * count * square(moved * clip.change / (b2 * mu.change));
    if (options.pass == Pass::multi) return error;
  }
  error.sampling += square(options.lipschitz) / b1;
  if (changes > 0) error.sampling += count * square(true_change(run.parameters, sizes, options)) / b2;
  if (options.pass == Pass::sampled) return error;
  error.noise = d * square(2 * clip.start / (b1 * run.mu));
  if (changes > 0) {
    const PrefixCost cost = prefix_cost(options.prefix, sizes.period - 1, over);
    error.noise += d * square(2 * clip.change / (b2 * run.mu)) * cost.norm_squared * cost.variance;
  }
  return error;
}

StationarityBound stationarity_bound(const RunShape& run, const Sizes& sizes, const Options& options) {
  const double g0 = std::sqrt(oracle_error(run, sizes, options, Over::worst).total());
  const double fall = options.gap + options.lipschitz * sizes.smoothing;
  return {.progress = fall / (sizes.step_cap * as_double(sizes.steps)),
          .regret = 2 * (options.lipschitz + g0) / std::sqrt(as_double(sizes.averaging)),
          .oracle = 2 * g0};
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
