#include "tacit/service.hpp"

#include <cmath>

#include "core/plot.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::service {

EventList load_events(const std::filesystem::path& path) {
  return parse_events(read_file(path), path.string());
}

void validate(const SampledSteps& steps) {
  if (!(steps.noise_multiplier >= 1e-100 && steps.noise_multiplier <= 1e100))
    throw_error<UsageError>("the noise multiplier is {}, expected 1e-100 to 1e100", steps.noise_multiplier);
  if (!(steps.rate > 0 && steps.rate <= 1))
    throw_error<UsageError>("the sampling rate is {}, expected > 0 and at most 1", steps.rate);
  if (steps.steps < 1) throw_error<UsageError>("the number of steps is {}, expected at least 1", steps.steps);
}

Bracket account_steps(const SampledSteps& steps, double delta) {
  validate(steps);
  return account_poisson_gaussian(steps.noise_multiplier, steps.rate, steps.steps, delta, steps.neighbours);
}

Bracket account_events(const EventList& list, double delta) { return account(list.events, delta); }

double calibrate(const Guarantee& target, double rate, std::int64_t steps, Neighbours neighbours) {
  tacit::validate(target);
  validate(SampledSteps{1, rate, steps, neighbours});
  return calibrate_noise(target, rate, steps, neighbours);
}

std::string plot_delta(std::span<const Event> events, const Bracket& around) {
  if (!std::isfinite(around.epsilon_upper))
    throw_error<UsageError>("no epsilon is enough at this delta, so there is nothing to plot");
  constexpr int points = 41;
  Series upper{.name = "upper end"}, lower{.name = "lower end", .dashed = true};
  for (int k = 0; k < points; ++k) {
    const double epsilon = 2 * around.epsilon_upper * k / (points - 1);
    const DeltaBracket at = account_delta(events, epsilon);
    upper.x.push_back(epsilon);
    upper.y.push_back(at.delta_upper);
    lower.x.push_back(epsilon);
    lower.y.push_back(at.delta_lower);
  }
  return to_svg({.title = "delta against epsilon",
                 .x_label = "epsilon",
                 .y_label = "delta",
                 .log_y = true,
                 .series = {upper, lower}});
}

}  // namespace tacit::inline v1::service
