#include <algorithm>
#include <cmath>

#include "algorithm/user_level/phases.hpp"
#include "algorithm/user_level/schedule.hpp"
#include "algorithm/user_level/user_phased.hpp"

// Algorithm 1 by the bound that its proof gives [LowyLiuAsi24, Thm B.1; docs/user_phased.md]. For accuracy
// alone: privacy rests on none of it.

namespace tacit::inline v1::user_level {

std::string_view name(Schedule schedule) { return schedule == Schedule::practical ? "practical" : "theorem"; }

// Notation [LowyLiuAsi24, Alg. 1]: C = groups, T_i = steps of SGD in a group, η_i = η·4^{1−i},
// σ_i = k·η_i·√T_i/C. In units of L:
//   R²/(2ηT_1) + Σ_i η_i/2 + Σ_{i≥2} pσ_{i−1}²/(2η_iT_i) + √p·σ_l  =  R²/(2ηT_1) + η·A
PhasedBound phased_bound(std::size_t users, std::size_t parameters, std::size_t phases, std::size_t groups,
                         const PhasedOptions& options) {
  const double p = static_cast<double>(parameters), C = static_cast<double>(groups),
               k = released_noise(options);
  const std::vector<std::size_t> sizes = phase_sizes(users, phases);
  const auto steps = [&](std::size_t i) {
    const std::size_t group = std::max<std::size_t>(1, sizes[i] / groups);
    return static_cast<double>(group) * static_cast<double>(options.records_per_user);
  };
  double A = 0, decay = 1;  // η_i/η
  for (std::size_t i = 0; i < phases; ++i, decay /= step_decay) {
    A += decay / 2;
    const double before = decay * step_decay;
    if (i > 0) A += p * k * k * before * before * steps(i - 1) / (2 * C * C * decay * steps(i));
    if (i + 1 == phases) A += std::sqrt(p * steps(i)) * k * decay / C;
  }
  return {.step = options.radius / std::sqrt(2 * steps(0) * A),
          .risk = options.radius * std::sqrt(2 * A / steps(0))};
}

PhasedOptions with_schedule(std::size_t users, std::size_t parameters, const PhasedOptions& asked) {
  asked.validate();
  PhasedOptions options = asked;
  options.schedule = Schedule::practical;
  if (asked.schedule == Schedule::practical) return options;
  // Too few groups find a τ that is far too wide, and its noise with it.
  const std::size_t sure = options.spread ? least_groups(options)
                                          : sure_chosen_points(options.target, options.share),
                    least = users < sure ? least_groups(options) : sure;
  double best = std::numeric_limits<double>::infinity();
  const auto consider = [&](std::size_t phases, std::size_t groups) {
    if (groups > (users >> (phases - 1))) return;
    const PhasedBound bound = phased_bound(users, parameters, phases, groups, asked);
    if (!(bound.risk < best)) return;
    best = bound.risk;
    options.phases = static_cast<std::int64_t>(phases);
    options.groups = static_cast<std::int64_t>(groups);
    options.step = asked.step.value_or(bound.step);
  };
  const auto in_phases = [&](std::size_t phases) {
    if (asked.groups) return consider(phases, static_cast<std::size_t>(*asked.groups));
    const double most = static_cast<double>(users);
    for (double groups = static_cast<double>(least); groups <= most; groups *= std::sqrt(2.0))
      consider(phases, even_below(static_cast<std::size_t>(groups)));
  };
  if (asked.phases)
    in_phases(static_cast<std::size_t>(*asked.phases));
  else
    for (std::size_t phases = 1; phases <= most_stated_phases; ++phases) in_phases(phases);
  return options;  // too few users: the plan says so
}

}  // namespace tacit::inline v1::user_level
