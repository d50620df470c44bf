#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithm/nonconvex/theory.hpp"
#include "tacit/core.hpp"

// The sizes of a run: by the theorem, or by rules.

namespace tacit::inline v1::nonconvex {

namespace {

double as_double(std::size_t x) { return static_cast<double>(x); }

std::size_t whole(double x) { return static_cast<std::size_t>(std::clamp(x, 1.0, 1e18)); }

// ⌊a/b⌋ that forgives rounding where a is a multiple of b.
std::size_t times_that_fit(double b, double a) { return whole(std::floor(a / b * (1 + 1e-12))); }

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
  const std::size_t asked = options.period ? static_cast<std::size_t>(*options.period) : 0;
  if (asked != 0) return asked <= steps ? body(asked) : void();
  for (std::size_t period = 1; period <= std::min(steps, longest_period); period *= 2) body(period);
}

// What is asked for is done or refused, never cut.
void require_within_steps(const std::optional<std::int64_t>& value, const char* flag, std::size_t steps) {
  if (value && static_cast<std::size_t>(*value) > steps)
    throw_error<UsageError>("{} is {}, expected at most the {} steps", flag, *value, steps);
}

// Those of the theorem: M = α/D, or what is asked for if that is less, and T a multiple of it. M = 0: there
// are none.
Sizes with_blocks(Sizes sizes, double steps, const Options& options) {
  sizes.averaging = times_that_fit(sizes.step_cap, sizes.smoothing);
  if (options.averaging) {
    const auto asked = static_cast<std::size_t>(*options.averaging);
    sizes.averaging = asked <= sizes.averaging ? asked : 0;
  }
  if (sizes.averaging == 0) return sizes;
  sizes.steps = whole(steps) / sizes.averaging * sizes.averaging;
  if (sizes.steps == 0 || (options.steps && sizes.steps != whole(steps))) sizes.averaging = 0;
  return sizes;
}

// Whole numbers up to `steps` that each are about half as much again as the last; where the steps are asked
// for, the next divisor of them below, so that no step is left over.
std::vector<double> block_sizes(double steps, bool divisors) {
  std::vector<double> sizes;
  for (double m = 1; m <= steps; m *= 1.5) {
    double size = std::floor(m);
    while (divisors && std::fmod(steps, size) != 0) --size;
    if (sizes.empty() || size > sizes.back()) sizes.push_back(size);
  }
  return sizes;
}

}  // namespace

Sizes theorem_sizes(const RunShape& run, const Options& options) {
  if (!options.smoothing) throw_error<UsageError>("the theorem's schedule needs the radius smoothing");
  // T beyond n makes no batch in a single pass, and a multi-pass run of more is of no use here.
  const double most = options.pass == Pass::single ? as_double(run.records) : 1e5;
  Sizes best, tried{.directions = usual_directions(run, options), .smoothing = *options.smoothing};
  double least = std::numeric_limits<double>::infinity();
  const auto try_steps = [&](double steps, double cap) {
    tried.step_cap = cap;
    Sizes sizes = with_blocks(tried, steps, options);
    if (sizes.averaging == 0) return;
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
      for (const double m : block_sizes(steps, options.steps.has_value()))
        try_steps(steps, tried.smoothing / m);
    if (options.steps) break;
  }
  if (!std::isfinite(least))
    throw_error<InfeasibleError>(
        "no run of the theorem fits {} records: it needs steps that are a multiple of averaging, "
        "averaging times step-cap at most smoothing, and a record for each step of one pass",
        run.records);
  return best;
}

Sizes practical_sizes(const RunShape& run, const Options& options) {
  constexpr std::size_t usual_averaging = 8, most_steps = 256, usual_batch = 32;
  constexpr double usual_share = 1.0 / 40;  // of the radius, that smoothing may blur
  Sizes sizes{.directions = usual_directions(run, options)};
  const std::size_t usual = options.pass == Pass::single
                                ? std::clamp<std::size_t>(run.records / usual_batch, 2, most_steps)
                                : most_steps;
  sizes.steps = options.steps ? static_cast<std::size_t>(*options.steps) : usual;
  require_within_steps(options.averaging, "averaging", sizes.steps);
  require_within_steps(options.period, "period", sizes.steps);
  sizes.step_cap = options.step_cap.value_or(2 * options.radius / as_double(sizes.steps));
  sizes.averaging = std::min(usual_averaging, sizes.steps);
  if (options.averaging) sizes.averaging = static_cast<std::size_t>(*options.averaging);
  if (options.smoothing) {
    sizes.smoothing = *options.smoothing;
    // MD ≤ α: the iterates of a block are in each other's ball, which is what was asked about.
    if (!options.averaging)
      sizes.averaging = std::min(sizes.averaging, times_that_fit(sizes.step_cap, sizes.smoothing));
  } else {
    sizes.smoothing = std::min(as_double(sizes.averaging) * sizes.step_cap, usual_share * options.radius);
  }
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
    throw_error<InfeasibleError>(
        "{} record{} too few for {} steps in one pass{}: take fewer steps, or use all records in every step "
        "with o2nc-multi",
        run.records, run.records == 1 ? " is" : "s are", sizes.steps,
        options.period
            ? fmt::format(" with period = {}, whose fresh gradient takes more records than a change",
                          *options.period)
            : "");
  sizes.period = best;
  return sizes;
}

}  // namespace tacit::inline v1::nonconvex
