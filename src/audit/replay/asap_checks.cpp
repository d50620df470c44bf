#include "audit/replay/asap_checks.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "audit/black_box/chain.hpp"
#include "audit/replay/posterior_checks.hpp"
#include "solver/certified.hpp"

namespace tacit::inline v1::audit {

namespace {

// [heuristic: power only]
constexpr std::size_t diagnosed_draws = 1000;

// The density that a run sampled, as its certificate states it.
sampler::Target target_of(const Problem& problem, const Release& release) {
  const Facts& facts = release.certificate.options;
  const Vector zero = Vector::Zero(release.parameters.value().size());
  return {.problem = &problem,
          .limits = {facts.number("slope_limit"), facts.number("curvature_limit")},
          .inverse_temperature = facts.number("inverse_temperature"),
          .strength = facts.number("strength"),
          .center = release.center ? release.center->value() : zero,
          .radius = facts.number("ball")};
}

LimitedObjective objective_of(const sampler::Target& target) {
  const Vector zero = Vector::Zero(target.center.size());
  return {*target.problem,
          target.limits,
          {.strength = target.strength / target.inverse_temperature, .center = zero},
          zero,
          0,
          1};
}

sampler::ConstrainedMala chain_of(const sampler::Target& target, const Certificate& certificate) {
  const Facts& facts = certificate.options;
  const double n = static_cast<double>(certificate.assumed_public.integer("records"));
  const double smoothness = target.strength + target.inverse_temperature * n * target.limits.curvature;
  LimitedObjective objective = objective_of(target);
  return {target,
          minimise(objective, {}).point,
          {.step_size = facts.number("step_size"),
           .steps = static_cast<std::uint64_t>(facts.number("chain_steps")),
           .start_scale = 1 / std::sqrt(2 * smoothness)}};
}

// The largest ‖γ∇J‖ seen on the ball: at its center, and at points on its surface.
double steepest(const sampler::Target& target) {
  LimitedObjective objective = objective_of(target);
  std::mt19937_64 random(3);  // where to look, not noise
  std::normal_distribution<> normal;
  double most = 0;
  Vector at = target.center, gradient;
  for (int k = 0; k < 20; ++k) {
    objective.gradient(at, gradient, nullptr);
    most = std::max(most, target.inverse_temperature * gradient.norm());
    Vector direction = k == 0 ? gradient : target.center;  // uphill, outward, and at random
    if (k > 1)
      for (double& x : direction) x = normal(random);
    if (direction.norm() > 0) at = target.center + target.radius * direction / direction.norm();
  }
  return most;
}

Check steepness(const Replayed& replayed, const WatchedRun& run) {
  const Facts &facts = run.release->certificate.options, &known = run.release->certificate.assumed_public;
  const double slope = facts.number("slope_limit"), alpha = facts.number("regularisation");
  const double bound = facts.number("inverse_temperature") * static_cast<double>(known.integer("records")) *
                       (slope + alpha * (facts.number("center_radius") + facts.number("ball")));
  Check check{CheckKind::ideal,
              "asap: gradient of the log-density on the ball, within what the steps reckon with", "", bound,
              0};
  for (const Problem& problem : replayed.problems)
    check.measured = std::max(check.measured, steepest(target_of(problem, *run.release)));
  return check;
}

// In pairs: what the chain drew, and what the noise cover opened.
Check covers_what_was_charged(const WatchedRun& run) {
  bool same = true;
  for (std::size_t k = 1; k + 1 < run.opened.size(); k += 2)
    same = same && run.opened[k].step.mechanism == "posterior-sample" &&
           run.opened[k + 1].step.mechanism == "noise-cover" &&
           run.opened[k].value == run.opened[k + 1].value;
  return {CheckKind::outcome, "asap: the noise goes onto the sample that was charged", "", 0,
          same ? 0.0 : 1.0};
}

}  // namespace

std::vector<Check> asap_checks(const Replayed& replayed) {
  std::vector<Check> checks = posterior_checks(replayed);
  for (const WatchedRun& run : replayed.runs) {
    checks.push_back(covers_what_was_charged(run));
    checks.push_back(steepness(replayed, run));
  }
  return checks;
}

std::vector<Diagnostic> asap_diagnostics(const Replayed& replayed, BitSource& bits) {
  const Release& release = *replayed.runs[0].release;
  const sampler::Target target = target_of(replayed.problems[0], release);
  sampler::ConstrainedMala mala = chain_of(target, release.certificate);
  sampler::ExactSampler exact(target, 1);
  const double grid = release.certificate.steps[1].grid;
  const ChainDiagnostics seen = diagnose(mala, exact, diagnosed_draws, grid, bits);
  return {{"steps of a chain", release.certificate.options.number("chain_steps")},
          {"accepted proposals of the chain, share", seen.acceptance},
          {"effective samples a step of the chain", seen.effective_per_step},
          {"chains that end in the ball, share", seen.kept},
          {"distance of the chain's distribution functions from exact samples", seen.distance},
          {"distance that 1000 exact samples would exceed once in a million", seen.threshold}};
}

std::vector<Diagnostic> exact_diagnostics(const Replayed& replayed, BitSource& bits) {
  const Release& release = *replayed.runs[0].release;
  sampler::ExactSampler exact(target_of(replayed.problems[0], release), 1);
  for (std::size_t k = 0; k < diagnosed_draws; ++k) exact.draw(release.certificate.steps.back().grid, bits);
  return {{"accepted proposals of the exact sampler, share",
           static_cast<double>(diagnosed_draws) / static_cast<double>(exact.trials())}};
}

}  // namespace tacit::inline v1::audit
