#include "service/fit/intervals.hpp"

#include "algorithm/intervals/intervals.hpp"
#include "service/fit/split.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::inline v1::service {

void check_interval_options(const FitOptions& options, const Method& method) {
  if (!options.interval_level) {
    if (options.interval_share != FitOptions{}.interval_share)
      throw_error<UsageError>("a share of intervals has no effect without their level");
    return;
  }
  const auto require_between = [](double value, std::string_view what) {
    if (!(value > 0 && value < 1))
      throw_error<UsageError>("the {} is {}, expected more than 0 and less than 1", what, value);
  };
  require_between(*options.interval_level, "level of intervals");
  require_between(options.interval_share, "share of intervals");
  if (std::holds_alternative<NoPrivacy>(options.guarantee))
    throw_error<UsageError>("intervals are for fits with privacy; leave them out, or give a finite epsilon");
  if (options.checkpoint)
    throw_error<UsageError>("intervals are for fits in one go; leave out the checkpoint");
  if (const std::string why = intervals::why_not(method.name); !why.empty())
    throw_error<UsageError>("there are no intervals: {}", why);
}

SharedFit with_interval_share(FitOptions options) {
  SharedFit shared{std::move(options), std::nullopt};
  if (!shared.options.interval_level) return shared;
  const auto [first, rest] =
      split_guarantee(shared.options.guarantee, shared.options.interval_share, "a fit and its intervals");
  shared.split = {.intervals = first, .rest = rest};
  shared.options.guarantee = rest;
  return shared;
}

void require_intervals(const SharedFit& fit, const Method& method, const Shape& shape, const Facts& facts) {
  if (!fit.split) return;
  if (const std::string why = intervals::why_not(method.name, shape, facts); !why.empty())
    throw_error<UsageError>("there are no intervals: {}", why);
}

IntervalRun release_intervals(const SharedFit& fit, const Problem& problem, const Release& release,
                              const Budget& whole, BitSource& bits) {
  const intervals::Plan plan = intervals::plan(fit_of_intervals(release.certificate), fit.split->intervals);
  RootMeter meter({fit.split->intervals, whole.unit, whole.neighbours}, bits);
  const Released<Vector> released =
      intervals::release(plan, problem, release.parameters.value(), fit.options.threads, meter);
  return {*fit.split, meter.steps().front(), released.value()};
}

}  // namespace tacit::inline v1::service
