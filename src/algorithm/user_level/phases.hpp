#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithm/user_level/concentration.hpp"
#include "algorithm/user_level/user_erm.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"

// What the phased methods share.

namespace tacit::inline v1::user_level {

inline constexpr int most_stated_phases = 20;

// The largest even number that is at most x.
inline std::size_t even_below(std::size_t x) { return x - x % 2; }

// n/2, n/4, …, the last as large as the one before it: every user is in one phase.
inline std::vector<std::size_t> phase_sizes(std::size_t users, std::size_t phases) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 1; i < phases; ++i) sizes.push_back(users >> i);
  sizes.push_back(users >> (phases - 1));
  return sizes;
}

// As many phases as leave `least` users in each of them, at most `most`; 1 where even that is too few.
inline std::size_t usual_phases(std::size_t users, std::size_t least, std::size_t most) {
  std::size_t phases = 1;
  while (phases < most && (users >> phases) >= least) ++phases;
  return phases;
}

inline void round_to_grid(Vector& w, double grid) {
  for (double& v : w) v = std::nearbyint(v / grid) * grid + 0.0;  // + 0.0: no −0
}

// Onto ‖w‖ ≤ radius, towards 0 on the grid.
inline void project_on_grid(Vector& w, double radius, double grid) {
  const double norm = w.norm();
  if (!(norm > radius)) return;
  for (double& v : w) v = std::trunc(v * (radius / norm) / grid) * grid + 0.0;
}

// A neighbour changes one phase only, so what is charged is the dearest of them, step by step; the phases'
// own steps are within it.
inline std::vector<Step> dearest(const std::vector<std::vector<Step>>& phases) {
  std::vector<Step> steps = phases.back();
  for (Step& step : steps) {
    step.nesting = Parallel{};
    step.inner.clear();
  }
  for (const std::vector<Step>& phase : phases)
    for (std::size_t k = 0; k < steps.size(); ++k) {
      steps[k].inner.push_back(phase[k]);
      std::visit(
          [&](auto& most) {
            const auto& own = std::get<std::decay_t<decltype(most)>>(phase[k].event);
            if constexpr (requires { most.epsilon; }) most.epsilon = std::max(most.epsilon, own.epsilon);
            if constexpr (requires { most.delta; }) most.delta = std::max(most.delta, own.delta);
            if constexpr (requires { most.mu; }) most.mu = std::max(most.mu, own.mu);
          },
          steps[k].event);
      steps[k].grid = std::min(steps[k].grid, phase[k].grid);
    }
  return steps;
}

// The lines of both methods' tables that are about tests and phases.
const OptionTable<TestShare>& share_table();
template <class O>
std::vector<Field<O>> phase_facts() {
  Fields<O> passed = released("phases_passed"), weighting = planned("weighting");
  std::vector<Field<O>> lines = {weighting.lines[0], passed.lines[0]};
  for (int phase = 1; phase <= most_stated_phases; ++phase)
    lines.push_back(Fields<O>(released("tau_" + std::to_string(phase))).lines[0]);
  return lines;
}

// What a run released beside its parameters: phases that were not halted, and the tau that was found in each.
struct Outcome {
  std::size_t passed = 0;
  std::vector<double> tau = {};
};
// As facts, and back from those of a certificate.
void set_outcome(Facts& facts, const Outcome& outcome);
Outcome outcome_from(const Facts& facts, std::size_t phases);

// What the certificate of such a run states.
Facts certified_options(const PhasedPlan& plan, PhasedOptions options, const Outcome& outcome);
Facts certified_options(const Shape& shape, const ErmPlan& plan, ErmOptions options, const Outcome& outcome,
                        double regularisation);

}  // namespace tacit::inline v1::user_level
