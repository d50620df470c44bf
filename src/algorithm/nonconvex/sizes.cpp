#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithm/nonconvex/theory.hpp"
#include "tacit/core.hpp"

// The sizes of a run: by the theorem, or by rules.

namespace tacit::inline v1::nonconvex {

namespace {

std::size_t whole(double x) { return static_cast<std::size_t>(std::clamp(x, 1.0, 1e18)); }

// ⌊a/b⌋ that forgives rounding where a is a multiple of b.
std::size_t times_that_fit(double b, double a) { return whole(std::floor(a / b * (1 + 1e-12))); }

std::size_t usual_directions(const RunShape& run, const Options& options) {
  if (options.directions) return static_cast<std::size_t>(*options.directions);
  if (options.estimate == Estimate::gradients) return 4;
  if (options.bound != Bound::smoothed) return run.parameters;  // a frame; [Zhang et al. 2024]
  return std::clamp<std::size_t>(2 * run.parameters, 8, 256);
}

bool fits(const RunShape& run, const Sizes& sizes, const Options& options) {
  const Batches batch = batches(run, sizes, options);
  return batch.start > 0 && (sizes.period == 1 || batch.change > 0);
}

constexpr std::size_t longest_period = 1024;  // that is tried
constexpr double most_steps = 1e8;            // that may be asked for

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

// The theorem's sizes for α/M ≥ D, and for as many steps as whole blocks allow. M is a multiple of Σ, so that
// a block's errors are those of whole periods, unless it is asked for. M = 0: there are none.
Sizes with_blocks(Sizes sizes, double steps, std::size_t longest, const Options& options) {
  sizes.averaging = longest < sizes.period ? longest : longest / sizes.period * sizes.period;
  if (options.averaging) {
    const auto asked = static_cast<std::size_t>(*options.averaging);
    sizes.averaging = asked <= longest ? asked : 0;
  }
  if (sizes.averaging == 0) return sizes;
  sizes.step_cap = options.step_cap ? *options.step_cap : sizes.smoothing / as_double(sizes.averaging);
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

// T beyond n makes no batch in a single pass; a multi-pass run takes all records in every step, which is
// work.
double steps_in_reach(const RunShape& run, const Sizes& sizes, const Options& options) {
  if (options.pass == Pass::single) return std::min(as_double(run.records), most_steps);
  const double evaluations = (options.estimate == Estimate::values ? 4 : 2) * as_double(sizes.directions);
  return std::min(1e5, options.work_limit / (evaluations * as_double(run.records * run.parameters)));
}

}  // namespace

Sizes theorem_sizes(const RunShape& run, const Options& options) {
  if (!options.smoothing) throw_error<UsageError>("the theorem's schedule needs the radius smoothing");
  if (options.step_cap && *options.step_cap > *options.smoothing)
    throw_error<UsageError>("step-cap is {}, expected at most smoothing, {}", *options.step_cap,
                            *options.smoothing);
  Sizes best, tried{.directions = usual_directions(run, options), .smoothing = *options.smoothing};
  const double most = options.steps ? most_steps : steps_in_reach(run, tried, options);
  double least = std::numeric_limits<double>::infinity();
  const auto try_blocks = [&](double steps, std::size_t longest) {
    for_periods(options, whole(steps), [&](std::size_t period) {
      tried.period = period;
      const Sizes sizes = with_blocks(tried, steps, longest, options);
      if (sizes.averaging == 0 || period > sizes.steps || !fits(run, sizes, options)) return;
      if (const double bound = stationarity_bound(run, sizes, options).total(); bound < least) {
        least = bound;
        best = sizes;
      }
    });
  };
  for (double steps = options.steps ? static_cast<double>(*options.steps) : 1; steps <= most; steps *= 1.5) {
    if (options.step_cap)
      try_blocks(steps, times_that_fit(*options.step_cap, tried.smoothing));
    else if (options.averaging)
      try_blocks(steps, static_cast<std::size_t>(*options.averaging));
    else
      for (const double m : block_sizes(steps, options.steps.has_value())) try_blocks(steps, whole(m));
    if (options.steps) break;
  }
  if (!std::isfinite(least))
    throw_error<InfeasibleError>(
        "no run of the theorem fits {} records: it needs steps that are a multiple of averaging, "
        "averaging times step-cap at most smoothing, and a record for each step of one pass",
        run.records);
  return best;
}

namespace {

// α, D and M with MD ≤ α, so that the iterates of a block are in each other's ball: what is not asked for
// gives way.
void set_scales(Sizes& sizes, const Options& options) {
  constexpr double usual_share = 1.0 / 40;  // of the radius, that smoothing may blur
  const double usual_cap = 2 * options.radius / as_double(sizes.steps);
  sizes.step_cap =
      options.step_cap.value_or(options.smoothing ? std::min(usual_cap, *options.smoothing) : usual_cap);
  const double block = options.averaging ? static_cast<double>(*options.averaging) : 1;
  sizes.smoothing =
      options.smoothing.value_or(std::max(usual_share * options.radius, block * sizes.step_cap));
  sizes.averaging =
      options.averaging
          ? static_cast<std::size_t>(*options.averaging)
          : std::min({usual_averaging, sizes.steps, times_that_fit(sizes.step_cap, sizes.smoothing)});
}

}  // namespace

Sizes practical_sizes(const RunShape& run, const Options& options) {
  constexpr std::size_t usual_steps = 256, usual_batch = 32;
  Sizes sizes{.directions = usual_directions(run, options)};
  const std::size_t usual = options.pass == Pass::single
                                ? std::clamp<std::size_t>(run.records / usual_batch, 2, usual_steps)
                                : usual_steps;
  sizes.steps = options.steps ? static_cast<std::size_t>(*options.steps) : usual;
  require_within_steps(options.averaging, "averaging", sizes.steps);
  require_within_steps(options.period, "period", sizes.steps);
  set_scales(sizes, options);
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for_periods(options, sizes.steps, [&](std::size_t period) {
    sizes.period = period;
    if (!fits(run, sizes, options)) return;
    if (const double bound = stationarity_bound(run, sizes, options).total(); bound < least) {
      least = bound;
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
