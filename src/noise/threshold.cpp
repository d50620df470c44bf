#include "noise/threshold.hpp"

#include <cmath>

#include "noise/mechanism.hpp"
#include "noise/samplers.hpp"
#include "noise/shift_grid.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

namespace {

double noisy(double x, double scale, const Lattice& lattice, Meter& meter) {
  double out = 0;
  add_laplace({&x, 1}, scale, lattice, meter.bits(), {&out, 1});
  return out;
}

}  // namespace

Step AboveThreshold::plan(const Sensitivity& sensitivity, double range, Pure epsilon) {
  const ShiftGrid grid = shift_grid(sensitivity, range, epsilon);
  Step step;
  step.mechanism = "above-threshold";
  step.event = PureEvent{epsilon.epsilon};
  step.sensitivity = sensitivity;
  step.scale = grid.scale;  // of the threshold's noise; twice that for each score
  step.grid = grid.lattice.grid;
  step.dimension = 1;
  return step;
}

AboveThreshold::AboveThreshold(double threshold, const Sensitivity& sensitivity, double range, Pure epsilon,
                               Meter& meter)
    : step_(plan(sensitivity, range, epsilon)), range_(range), meter_(&meter) {
  if (!(std::fabs(threshold) <= range))
    throw_error<UsageError>("the threshold is {}, expected within the range of the scores, +-{}", threshold,
                            range);
  meter.charge(step_);
  noisy_threshold_ = noisy(threshold, step_.scale, Lattice{step_.grid, range_}, meter);
}

Released<bool> AboveThreshold::ask(const Sensitive<double>& score) {
  if (done_) throw_error<UsageError>("AboveThreshold has said yes; its budget is spent");
  require_same_terms(score, *meter_);
  if (!(checked_total(score.sensitivity()) <= step_.sensitivity.total()))
    throw_error<UsageError>("a score of sensitivity {} was asked, but {} was paid for",
                            score.sensitivity().total(), step_.sensitivity.total());
  const double opened = Mechanism::open(score);
  Mechanism::show(*meter_, step_, {&opened, 1});
  done_ = noisy(opened, 2 * step_.scale, Lattice{step_.grid, range_}, *meter_) >= noisy_threshold_;
  return Mechanism::release(done_);
}

namespace {

Step plan_noisy_stability(const StabilityTest& test, const Sensitivity& stability, double range) {
  if (!(test.delta > 0 && test.delta < 0.5))
    throw_error<UsageError>("the test's delta is {}, expected between 0 and 1/2", test.delta);
  return plan_laplace(stability, scale_for(stability, test.epsilon), range);
}

}  // namespace

double stability_floor(const StabilityTest& test, const Sensitivity& stability, double range) {
  const Step step = plan_noisy_stability(test, stability, range);
  // P(s + Laplace ≥ s + t) = ½·e^{−t/scale} = delta at t = scale·ln(1/(2 delta)).
  const double tail = mul_up(step.scale, library_up(std::log(div_up(1, 2 * test.delta))));
  const double floor = sub_down(sub_down(test.threshold, tail), step.grid / 2);
  // Clamping lifts what lies below −range: the floor must not be among it.
  if (!(floor > -range))
    throw_error<UsageError>(
        "the stability test's floor is {}, expected above -{}, where stabilities are clamped", floor, range);
  return floor;
}

std::vector<Step> plan_propose_test_release(const StabilityTest& test, const Sensitivity& stability,
                                            double stability_range, const Sensitivity& value, double sigma,
                                            double range, std::size_t dimension) {
  Step failure;
  failure.mechanism = "stability-failure";
  failure.event = DeltaEvent{test.delta};
  failure.sensitivity.reason = "a stability below the floor passes with at most this probability";
  static_cast<void>(
      stability_floor(test, stability, stability_range));  // it must lie where clamping leaves it
  return {plan_noisy_stability(test, stability, stability_range), failure,
          plan_gaussian(value, sigma, range, dimension)};
}

Released<std::optional<Vector>> propose_test_release(const StabilityTest& test,
                                                     const Sensitive<double>& stability,
                                                     double stability_range, const Sensitive<Vector>& value,
                                                     double sigma, double range, Meter& meter) {
  require_same_terms(stability, meter);
  require_same_terms(value, meter);
  const double opened = Mechanism::open(stability);
  const Vector& x = Mechanism::open(value);
  const auto dimension = static_cast<std::size_t>(x.size());
  const std::vector<Step> steps = plan_propose_test_release(test, stability.sensitivity(), stability_range,
                                                            value.sensitivity(), sigma, range, dimension);
  for (const Step& step : steps) meter.charge(step);
  Mechanism::show(meter, steps[0], {&opened, 1});
  const double tested = noisy(opened, steps[0].scale, Lattice{steps[0].grid, stability_range}, meter);
  if (!(tested >= test.threshold)) return Mechanism::release(std::optional<Vector>());

  Mechanism::show(meter, steps[2], {x.data(), dimension});
  Vector out(x.size());
  add_gaussian({x.data(), dimension}, sigma, Lattice{steps[2].grid, range}, meter.bits(),
               {out.data(), dimension});
  return Mechanism::release(std::optional<Vector>(std::move(out)));
}

}  // namespace tacit::inline v1::noise
