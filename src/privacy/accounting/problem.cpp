#include "privacy/accounting/problem.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/core.hpp"

namespace tacit::inline v1::pld {

namespace {

// All of this is about how narrow a bracket gets and how long that takes, never about whether it holds.
constexpr double fine_width = 1e-4, wide_width = 7e-4;  // that brackets aim at, relative
constexpr double accepted_width = 9e-4;
constexpr std::size_t rough_points = 16384;  // of a transform, for a first look
constexpr std::size_t few_points = 40000;    // up to which the fine width is aimed at
constexpr int most_attempts = 5;

std::vector<Part> sketch(const Composition::Laws& laws, double log_delta) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < laws.laws.size(); ++i) {
    parts.push_back({laws.laws[i].get(), laws.counts[i], laws.laws[i]->sketch()});
    truncate(parts.back(), log_delta);
  }
  return parts;
}

}  // namespace

Problem::Problem(const Composition& composition, Direction direction, double delta)
    : composition_(composition),
      direction_(direction),
      delta_(delta),
      laws_(composition.laws(direction, Side::above, 0)),
      parts_(sketch(laws_, std::log(delta))),
      resolved_(resolve()) {}

std::vector<Part> Problem::resolve() const {
  const double lambda = tilt_for_delta(parts_, delta_);
  const Aim aim = aim_with(parts_, lambda, cumulants(parts_, lambda).mean, std::log(delta_));
  const std::vector<LatticePart> lattice =
      lattice_parts(Side::above, make_plan(parts_, aim, wide_width, most_points));
  std::vector<Part> resolved;
  for (std::size_t i = 0; i < lattice.size(); ++i) {
    const LatticeLaw& law = lattice[i].law;
    resolved.push_back({parts_[i].law, parts_[i].count, {}});
    if (law.taps.empty()) resolved.back().sketch = parts_[i].sketch;  // the plan's window misses it
    for (const Tap& tap : law.taps)
      resolved.back().sketch.push_back(
          {law.offset + law.step * static_cast<double>(tap.index), std::log(tap.mass), 0});
  }
  return resolved;
}

// Tries grids until the bracket is narrow; each attempt's ends hold, so the best of all are kept.
Bracket Problem::epsilon() const {
  Bracket best{0, composition_.failure() <= delta_ ? greatest_loss() : infinity};
  Aim aim = take_aim();
  Plan plan = first_plan(aim);
  double aimed = plan.tolerance, width_before = infinity;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    best.epsilon_upper = std::fmin(best.epsilon_upper, curve(Side::above, plan).epsilon(delta_));
    best.epsilon_lower = std::fmax(best.epsilon_lower, curve(Side::below, plan).epsilon(delta_));
    const double width = (best.epsilon_upper - best.epsilon_lower) / best.epsilon_upper;
    if (!(width > accepted_width)) break;
    if (best.epsilon_upper < 0.98 * aim.epsilon || best.epsilon_lower == 0) {  // aimed too high
      aim = aim_at(best.epsilon_lower == 0 ? 0.8 * best.epsilon_upper : best.epsilon_upper);
    } else {
      if (plan.size >= most_points || width > 0.97 * width_before || !composition_.tight_below()) break;
      width_before = width;
    }
    if (best.epsilon_lower != 0) aimed = plan.tolerance * std::clamp(0.8 * accepted_width / width, 0.02, 1.0);
    plan = finer_plan(aim, aimed);
  }
  return best;
}

DeltaBracket Problem::delta_at(double epsilon) const {
  if (greatest_loss() <= epsilon) return {composition_.failure_below(), composition_.failure()};
  const Plan plan = first_plan(aim_at(epsilon));
  return {curve(Side::below, plan).delta(epsilon), curve(Side::above, plan).delta(epsilon)};
}

double Problem::greatest_loss() const {
  double greatest = 0;
  for (const Part& part : parts_) greatest = add_up(greatest, mul_up(part.count, part.law->greatest));
  return greatest;
}

bool Problem::suffices(double epsilon) const {
  if (composition_.failure() <= delta_ && greatest_loss() <= epsilon) return true;
  return curve(Side::above, first_plan(take_aim())).delta(epsilon) <= delta_;
}

std::vector<LatticePart> Problem::lattice_parts(Side side, const Plan& plan) const {
  const Composition::Laws laws = composition_.laws(direction_, side, plan.step);
  std::vector<LatticePart> parts;
  for (std::size_t i = 0; i < laws.laws.size(); ++i) {
    const Grid grid = make_grid(parts_[i], plan);
    parts.push_back({side == Side::above ? pessimistic(*laws.laws[i], grid) : optimistic(*laws.laws[i], grid),
                     laws.counts[i]});
  }
  return parts;
}

Curve Problem::curve(Side side, const Plan& plan) const {
  return Curve(lattice_parts(side, plan), plan, side);
}

// Fine where that is cheap.
Plan Problem::first_plan(const Aim& aim) const {
  const Plan smooth = make_plan(resolved_, aim, fine_width, most_points);
  if (few_frequencies(resolved_, smooth)) return smooth;
  const Plan wide = make_plan(resolved_, aim, wide_width, most_points);
  const Aim light = narrowed(resolved_, aim, wide.step);
  const Plan fine = make_plan(resolved_, light, fine_width, few_points);
  return fine.step < wide.step ? fine : make_plan(resolved_, light, wide_width, most_points);
}

Plan Problem::finer_plan(const Aim& aim, double width) const {
  const Plan plan = make_plan(resolved_, aim, width, most_points);
  if (few_frequencies(resolved_, plan)) return plan;
  return make_plan(resolved_, narrowed(resolved_, aim, plan.step), width, most_points);
}

// The saddle point tells epsilon well where the composed loss is nearly Gaussian. Where rare large losses
// make delta it is far too high; rough computations then tell better.
Aim Problem::take_aim() const {
  const double lambda = tilt_for_delta(resolved_, delta_);
  Aim aim = aim_with(resolved_, lambda, cumulants(resolved_, lambda).mean, std::log(delta_));
  if (nearly_gaussian(resolved_, aim)) return aim;
  for (int round = 0; round < 3; ++round) {
    const Plan wide = make_plan(resolved_, aim, wide_width, rough_points);
    const Plan rough = make_plan(resolved_, narrowed(resolved_, aim, wide.step), wide_width, rough_points);
    const double epsilon = curve(Side::above, rough).epsilon(delta_), before = aim.epsilon;
    if (epsilon < aim.epsilon) aim = aim_at(epsilon);
    if (epsilon > 0.95 * before) break;
  }
  return aim;
}

Aim Problem::aim_at(double epsilon) const {
  return aim_with(resolved_, tilt_for_epsilon(resolved_, epsilon), epsilon, std::log(delta_));
}

}  // namespace tacit::inline v1::pld
