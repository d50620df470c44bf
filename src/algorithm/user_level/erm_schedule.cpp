#include <algorithm>
#include <cmath>

#include "algorithm/heavy_tails/ball_smoothing.hpp"
#include "algorithm/user_level/phases.hpp"
#include "algorithm/user_level/schedule.hpp"
#include "algorithm/user_level/user_erm.hpp"
#include "tacit/core.hpp"

// Algorithm 3 by its theorems' rules, the constants that they hide set to 1 [LowyLiuAsi24, Thm C.3, Lemma
// D.2, Thm D.3; docs/user_erm.md]. For accuracy alone: privacy rests on none of it.

namespace tacit::inline v1::user_level {

namespace {

// K = n_iε/√T + ln(nmd·e^ε/δ)/ε  [Lemma D.2]: as an even number, and no more than there are.
std::size_t batch_by_rule(std::size_t phase_users, double steps, double logarithm, const Approx& target) {
  const double users = static_cast<double>(phase_users);
  const double batch = users * target.epsilon / std::sqrt(steps) +
                       (logarithm + target.epsilon - std::log(target.delta)) / target.epsilon;
  return even_below(static_cast<std::size_t>(std::min(users, std::ceil(batch / 2) * 2)));
}

// Samples of the rule's size; false where they are all users, or too few for a test of their own. One phase,
// unless more are asked for: a smaller one has the same test to pass.
bool take_samples(std::size_t users, double logarithm, ErmOptions& options) {
  ErmOptions sampled = options;
  sampled.sampling = Sampling::sample;
  sampled.phases = options.phases.value_or(1);
  const std::vector<std::size_t> sizes = phase_sizes(users, static_cast<std::size_t>(*sampled.phases));
  const std::size_t batch =
      batch_by_rule(sizes[0], static_cast<double>(options.iterations), logarithm, options.target);
  if (batch < 2 || batch >= sizes[0] || batch > sizes.back()) return false;
  sampled.batch = static_cast<std::int64_t>(batch);
  if (!users_suffice(sizes.back(), sampled)) return false;
  options = sampled;
  return true;
}

}  // namespace

ErmOptions with_schedule(const Shape& shape, std::size_t users, const ErmOptions& asked) {
  asked.validate();
  ErmOptions options = asked;
  options.schedule = Schedule::practical;
  if (asked.schedule == Schedule::practical) return options;
  const double n = static_cast<double>(users), m = static_cast<double>(options.records_per_user),
               d = static_cast<double>(shape.parameters()), epsilon = options.target.epsilon;
  // What privacy costs by the theorem, √d/(εn√m), is also how far a kink may be smoothed, times R [Thm D.3].
  const double privacy = std::sqrt(d / m) / (epsilon * n);
  if (heavy_tails::has_one_kink(shape.loss) && !options.smoothing)
    options.smoothing = options.radius * privacy;
  // λ = (1/R)(1/√(nm) + √d/(εn√m))  [Thm C.3]
  if (!options.regularisation) options.regularisation = (1 / std::sqrt(n * m) + privacy) / options.radius;
  // T = (1 + √(β/λ))·ln(ndm)  [Lemma D.2]
  const double logarithm = std::log(n * d * m);
  const double condition =
      smoothness_of(shape, options) / (*options.regularisation + options.strong_convexity);
  const double steps = std::ceil((1 + std::sqrt(condition)) * logarithm);
  if (!(steps <= most_iterations))
    throw_error<InfeasibleError>(
        "the theorem's rule asks for {} steps, and at most {} are taken; expected a larger smoothing, or the "
        "practical schedule",
        steps, most_iterations);
  options.iterations = static_cast<std::int64_t>(steps);
  if (take_samples(users, logarithm, options)) return options;
  if (!options.phases)
    options.phases =
        static_cast<std::int64_t>(usual_phases(users, least_erm_users(options), most_stated_phases));
  return options;
}

}  // namespace tacit::inline v1::user_level
