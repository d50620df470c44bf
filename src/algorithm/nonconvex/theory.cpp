#include "tacit/algorithm/nonconvex/theory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/algorithm/nonconvex/smoothing.hpp"
#include "tacit/core/error.hpp"

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
  if (options.pass == Pass::multi) {
    const Shares mu = shares(run, sizes, options);
    error.noise = d * square(2 * clip.start / (b1 * mu.start));
    if (changes > 0) error.noise += d * count * square(2 * clip.change / (b2 * mu.change));
    return error;
  }
  error.noise = d * square(2 * clip.start / (b1 * run.mu));
  error.sampling += square(options.lipschitz) / b1;
  if (changes > 0) {
    const PrefixCost cost = prefix_cost(options.prefix, sizes.period - 1, over);
    error.noise += d * square(2 * clip.change / (b2 * run.mu)) * cost.norm_squared * cost.variance;
    error.sampling += count * square(true_change(run.parameters, sizes, options)) / b2;
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

namespace {

std::size_t whole(double x) { return static_cast<std::size_t>(std::max(1.0, x)); }

std::size_t usual_directions(const RunShape& run, const Options& options) {
  if (options.directions) return static_cast<std::size_t>(*options.directions);
  if (options.estimate == Estimate::gradients) return 4;
  if (options.bound == Bound::worst) return run.parameters;  // [Zhang et al. 2024]
  return std::clamp<std::size_t>(2 * run.parameters, 8, 256);
}

bool fits(const RunShape& run, const Sizes& sizes, const Options& options) {
  const Batches batch = batches(run, sizes, options);
  return batch.start > 0 && (sizes.period == 1 || batch.change > 0);
}

constexpr std::size_t longest_period = 4096;  // that is tried

// Calls body(Σ) for the period that is asked for, or for powers of two up to T.
template <class Body>
void for_periods(const Options& options, std::size_t steps, Body&& body) {
  if (options.period) return body(std::min(static_cast<std::size_t>(*options.period), steps));
  for (std::size_t period = 1; period <= std::min(steps, longest_period); period *= 2) body(period);
}

}  // namespace

Sizes theorem_sizes(const RunShape& run, const Options& options) {
  if (!options.smoothing) throw_error<UsageError>("the theorem's schedule needs the radius --smoothing");
  // T beyond n makes no batch in a single pass, and a multi-pass run of more is of no use here.
  const double most = options.pass == Pass::single ? as_double(run.records) : 1e5;
  Sizes best, sizes{.directions = usual_directions(run, options), .smoothing = *options.smoothing};
  double least = std::numeric_limits<double>::infinity();
  const auto try_steps = [&](double steps, double cap) {
    sizes.step_cap = cap;
    sizes.averaging = whole(std::floor(sizes.smoothing / cap * (1 + 1e-12)));
    if (options.averaging)
      sizes.averaging = std::min(sizes.averaging, static_cast<std::size_t>(*options.averaging));
    sizes.steps = whole(steps) / sizes.averaging * sizes.averaging;
    if (sizes.steps == 0) return;
    for_periods(options, sizes.steps, [&](std::size_t period) {
      sizes.period = period;
      if (!fits(run, sizes, options)) return;
      if (const double bound = stationarity_bound(run, sizes, options).total(); bound < least) {
        least = bound;
        best = sizes;
      }
    });
  };
  for (double steps = options.steps ? static_cast<double>(*options.steps) : 1; steps <= most; steps *= 1.5) {
    if (options.step_cap)
      try_steps(steps, *options.step_cap);
    else
      for (double m = 1; m <= steps; m *= 1.5) try_steps(steps, sizes.smoothing / std::floor(m));
    if (options.steps) break;
  }
  if (!std::isfinite(least))
    throw_error<InfeasibleError>("{} records are too few for these steps and this period", run.records);
  return best;
}

Sizes practical_sizes(const RunShape& run, const Options& options) {
  constexpr std::size_t usual_averaging = 16, most_steps = 256, usual_batch = 32;
  Sizes sizes{.directions = usual_directions(run, options)};
  const std::size_t usual = options.pass == Pass::multi
                                ? most_steps
                                : std::clamp<std::size_t>(run.records / usual_batch, 2, most_steps);
  sizes.steps = options.steps ? static_cast<std::size_t>(*options.steps) : usual;
  sizes.step_cap = options.step_cap.value_or(2 * options.radius / as_double(sizes.steps));
  std::size_t averaging = std::min(usual_averaging, sizes.steps);
  if (options.averaging) averaging = std::min(static_cast<std::size_t>(*options.averaging), sizes.steps);
  sizes.smoothing = options.smoothing.value_or(as_double(averaging) * sizes.step_cap);
  // MD ≤ α: the iterates of a block are in each other's ball.
  if (!options.averaging)
    averaging = std::min(averaging, whole(std::floor(sizes.smoothing / sizes.step_cap * (1 + 1e-12))));
  sizes.averaging = averaging;
  sizes.steps = sizes.steps / averaging * averaging;
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for_periods(options, sizes.steps, [&](std::size_t period) {
    sizes.period = period;
    if (!fits(run, sizes, options)) return;
    if (const double error = oracle_error(run, sizes, options, Over::mean).total(); error < least) {
      least = error;
      best = period;
    }
  });
  if (best == 0)
    throw_error<InfeasibleError>("{} records are too few for {} steps in one pass with this period",
                                 run.records, sizes.steps);
  sizes.period = best;
  return sizes;
}

}  // namespace tacit::inline v1::nonconvex
