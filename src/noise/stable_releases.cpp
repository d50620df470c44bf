#include "noise/stable_releases.hpp"

#include <cmath>

#include "noise/mechanism.hpp"
#include "noise/samplers.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

double StableReleases::floor(const StableTerms& terms) {
  if (!(terms.delta > 0 && terms.delta < 0.5))
    throw_error<UsageError>("the tests' delta is {}, expected between 0 and 1/2", terms.delta);
  const Step test = AboveThreshold::plan(terms.stability, terms.stability_range, terms.epsilon);
  // Lap(b) on the threshold and Lap(2b) on the stability: P(their difference ≥ t) = (4e^{−t/2b} − e^{−t/b})/6
  // ≤ (2/3)e^{−t/2b}, which is delta at t = 2b·ln(2/(3 delta)). Each is rounded to the grid, by half a cell.
  const double tail = mul_up(2 * test.scale, library_up(std::log(div_up(2, 3 * terms.delta))));
  const double floor = sub_down(sub_down(terms.threshold, tail), test.grid);
  if (!(floor > -terms.stability_range))
    throw_error<UsageError>(
        "the stability tests' floor is {}, expected above -{}, where stabilities are clamped", floor,
        terms.stability_range);
  return floor;
}

std::vector<Step> StableReleases::plan(const StableTerms& terms) {
  if (terms.releases == 0) throw_error<UsageError>("no releases, expected at least 1");
  static_cast<void>(floor(terms));
  const double count = static_cast<double>(terms.releases);
  Step failure;
  failure.mechanism = "stability-failure";
  failure.event = DeltaEvent{mul_up(count, terms.delta)};
  failure.sensitivity.reason =
      "a stability below the floor passes one of the tests with at most this probability";
  Step gaussian = plan_gaussian(terms.value, terms.sigma, terms.range, terms.dimension);
  // T adaptive Gaussian steps of mu each are one of √T·mu [Dong–Roth–Su 2022, Cor. 3.3].
  gaussian.mechanism = "gaussian-steps";
  gaussian.event = GaussianEvent{mul_up(std::get<GaussianEvent>(gaussian.event).mu, sqrt_up(count))};
  return {AboveThreshold::plan(terms.stability, terms.stability_range, terms.epsilon), failure, gaussian};
}

// AboveThreshold stops at the first yes: it is asked whether −stability is above −threshold.
StableReleases::StableReleases(const StableTerms& terms, Meter& meter) : terms_(terms), meter_(&meter) {
  const std::vector<Step> steps = plan(terms);
  gaussian_ = steps[2];
  test_ = std::make_unique<AboveThreshold>(-terms.threshold, terms.stability, terms.stability_range,
                                           terms.epsilon, meter);
  meter.charge(steps[1]);
  meter.charge(steps[2]);
}

Released<std::optional<Vector>> StableReleases::release(const Sensitive<double>& stability,
                                                        const Sensitive<Vector>& value) {
  if (taken_ == terms_.releases) throw_error<UsageError>("all {} releases were made", terms_.releases);
  require_same_terms(value, *meter_);
  require_l2(value.sensitivity(), terms_.dimension);
  if (!(checked_total(value.sensitivity()) <= terms_.value.total()))
    throw_error<UsageError>("a value of sensitivity {} is released, but {} was paid for",
                            value.sensitivity().total(), terms_.value.total());
  const Vector& x = Mechanism::open(value);
  if (static_cast<std::size_t>(x.size()) != terms_.dimension)
    throw_error<UsageError>("a value of dimension {} is released, expected {}", x.size(), terms_.dimension);
  const Sensitive<double> instability(-Mechanism::open(stability), stability.sensitivity(),
                                      stability.neighbours(), stability.unit());
  const bool failed = test_->ask(instability).value();
  ++taken_;
  if (failed) return Mechanism::release(std::optional<Vector>());
  Mechanism::show(*meter_, gaussian_, {x.data(), terms_.dimension});
  Vector out(x.size());
  add_gaussian({x.data(), terms_.dimension}, terms_.sigma, Lattice{gaussian_.grid, terms_.range},
               meter_->bits(), {out.data(), terms_.dimension});
  return Mechanism::release(std::optional<Vector>(std::move(out)));
}

}  // namespace tacit::inline v1::noise
