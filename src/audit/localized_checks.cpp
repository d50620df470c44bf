#include "localized_checks.hpp"

#include <algorithm>
#include <random>

#include "tacit/algorithm/heavy_tails/localized.hpp"
#include "tacit/noise/system_bits.hpp"
#include "tacit/privacy/account.hpp"
#include "tacit/privacy/root_meter.hpp"

namespace tacit::inline v1::audit {

namespace {

using heavy_tails::CentredSolver;
using heavy_tails::LocalizedPlan;
using heavy_tails::Phase;

Check blocks_cost(const LocalizedPlan& plan, const CentredSolver& solver) {
  double dearest = 0;
  for (const Phase& phase : plan.phases) {
    std::vector<Event> events;
    for (const Step& step : solver.plan(phase.shape, phase.options, plan.center_bound))
      events.push_back(step.event);
    dearest = std::max(dearest, std::get<Pure>(compose(events, Pure{1})).epsilon);
  }
  return {CheckKind::account, "step 1 (population-localisation): the cost of a block, within what is charged",
          "", std::get<PureEvent>(plan.release.event).epsilon, dearest};
}

// What the solver opens when both neighbours, as they are, are one block around this center.
std::vector<Opened> opened_in_block(const Problem& problem, const LocalizedPlan& plan,
                                    const CentredSolver& solver, const Phase& phase, const Vector& center) {
  std::vector<Opened> opened;
  const auto bits = noise::system_bits();
  RootMeter meter({Pure{phase.options.epsilon}}, *bits);
  meter.watch([&](const Step& step, std::span<const double> value) {
    opened.push_back({step, {value.begin(), value.end()}});
  });
  solver.solve(center, plan.center_bound, problem, phase.options, meter);
  return opened;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum = std::hypot(sum, a[k] - b[k]);
  return sum;
}

Check blocks_movement(const Replayed& replayed, const LocalizedPlan& plan, const CentredSolver& solver) {
  Check worst{CheckKind::movement,
              "step 1 (population-localisation): how far a block's minimiser moves, within its sensitivity",
              "", 0, 0};
  std::mt19937_64 random(1);  // where to look, not noise
  std::normal_distribution<> normal;
  const auto p = static_cast<Eigen::Index>(plan.release.dimension);
  for (const Phase& phase : plan.phases)
    for (const double size : {0.0, 1e-3, 1.0}) {
      Vector center(p);
      for (double& x : center) x = size * normal(random);
      center = heavy_tails::onto_ball(center, heavy_tails::projection_radius(phase.options));
      const auto a = opened_in_block(replayed.problems[0], plan, solver, phase, center);
      const auto b = opened_in_block(replayed.problems[1], plan, solver, phase, center);
      if (opens_an_ideal(a.back().step)) continue;  // the solver has checks of its own
      const double bound = a.back().step.sensitivity.total(),
                   moved = distance(a.back().value, b.back().value);
      if (worst.bound == 0 || moved / bound > worst.measured / worst.bound) {
        worst.bound = bound;
        worst.measured = moved;
      }
    }
  return worst;
}

}  // namespace

std::vector<Check> localized_checks(const Replayed& replayed) {
  const Certificate& certificate = replayed.runs[0].release->certificate;
  if (certificate.steps.size() != 1 || certificate.steps[0].mechanism != "population-localisation")
    return {{CheckKind::outcome, "the one step is a population localisation", "", 0, 1}};
  const LocalizedPlan plan = plan_localized(shape_of(replayed.problems[0]),
                                            heavy_tails::LocalizedOptions::from(replayed.subject->facts));
  const CentredSolver& solver = heavy_tails::find_centred_solver(certificate.options.text("solver"));
  return {blocks_cost(plan, solver), blocks_movement(replayed, plan, solver)};
}

}  // namespace tacit::inline v1::audit
