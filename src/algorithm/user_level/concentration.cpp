#include "algorithm/user_level/concentration.hpp"

#include <array>
#include <cmath>

#include "algorithm/user_level/phases.hpp"
#include "algorithm/user_level/shared_budget.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "solver/outliers.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::user_level {

namespace {

Pure test_epsilon(const Approx& target, const TestShare& share) {
  return Pure{share.test_share * target.epsilon};
}
double test_delta(const Approx& target, const TestShare& share, double releases) {
  return share.failure_share * target.delta / releases;
}

// How far below s the noisy s may lie so that less than `probability` of tests go wrong by more: of one
// Laplace noise, or of AboveThreshold's two, in units of sensitivity/ε.
double tail(double probability, bool many) {
  return many ? 4 * std::log(2 / (3 * probability)) : std::log(1 / (2 * probability));
}

// ρC² and twice the tail must fit below C².
std::size_t least_points_for(double releases, bool many, const Approx& target, const TestShare& share) {
  share.validate();
  const double epsilon = test_epsilon(target, share).epsilon;
  const double tails = tail(test_delta(target, share, releases), many) + tail(false_alarm / releases, many);
  return least_even_points(tails / epsilon, target, share);
}

double range_for(double bound) { return mul_up(2, bound); }

}  // namespace

void TestShare::validate() const { share_table().validate(*this); }

std::size_t least_points(const Approx& target, const TestShare& share) {
  return least_points_for(1, false, target, share);
}
std::size_t least_points(std::uint64_t releases, const Approx& target, const TestShare& share) {
  return least_points_for(static_cast<double>(releases), true, target, share);
}

double tested_noise(const Approx& target, const TestShare& share, bool many) {
  const double epsilon = test_epsilon(target, share).epsilon, delta = test_delta(target, share, 1);
  // The same is asked for phase after phase, and run after run in an audit.
  thread_local std::array<double, 5> asked{};
  thread_local double answer = 0;
  const std::array now{target.epsilon, target.delta, epsilon, delta, many ? 1.0 : 2.0};
  if (asked == now) return answer;
  const Event test = many ? Event(PureEvent{epsilon}) : Event(LaplaceEvent{epsilon});
  answer = calibrate_noise_beside(std::array{test, Event(DeltaEvent{delta})}, target, 1.0, 1);
  asked = now;
  return answer;
}

TestedMean plan_tested_mean(const PointsShape& shape, const Approx& target, const TestShare& share) {
  require_points(shape.points, least_points(target, share), target);
  const double c = static_cast<double>(shape.points);
  TestedMean plan;
  plan.pairs = close_pairs_sensitivity(shape.points);
  plan.pair_range = c * c;
  plan.test = {.threshold = 0, .epsilon = test_epsilon(target, share), .delta = test_delta(target, share, 1)};
  plan.test.threshold = share.core * c * c + plan.pairs.value / plan.test.epsilon.epsilon *
                                                 tail(plan.test.delta, false) * (1 + 1e-9);
  plan.mean = inlier_mean_sensitivity(shape.points, shape.dimension, shape.tau, shape.bound,
                                      noise::stability_floor(plan.test, plan.pairs, plan.pair_range));
  plan.range = range_for(shape.bound);
  plan.sigma = tested_noise(target, share, false) * plan.mean.total();
  raise_until_it_fits(plan.sigma, target, [&] {
    plan.steps = noise::plan_propose_test_release(plan.test, plan.pairs, plan.pair_range, plan.mean,
                                                  plan.sigma, plan.range, shape.dimension);
    return plan.steps;
  });
  return plan;
}

noise::StableTerms plan_tested_means(const PointsShape& shape, std::uint64_t releases, const Approx& target,
                                     const TestShare& share) {
  require_points(shape.points, least_points(releases, target, share), target);
  const double c = static_cast<double>(shape.points), count = static_cast<double>(releases);
  noise::StableTerms terms{.releases = releases,
                           .threshold = 0,
                           .epsilon = test_epsilon(target, share),
                           .delta = test_delta(target, share, count),
                           .stability = close_pairs_sensitivity(shape.points),
                           .stability_range = c * c,
                           .value = {},
                           .sigma = 0,
                           .range = range_for(shape.bound),
                           .dimension = shape.dimension};
  terms.threshold = share.core * c * c +
                    terms.stability.value / terms.epsilon.epsilon * tail(terms.delta, true) * (1 + 1e-6);
  terms.value = inlier_mean_sensitivity(shape.points, shape.dimension, shape.tau, shape.bound,
                                        noise::StableReleases::floor(terms));
  terms.sigma = tested_noise(target, share, true) * std::sqrt(count) * terms.value.total();
  raise_until_it_fits(terms.sigma, target, [&] { return noise::StableReleases::plan(terms); });
  return terms;
}

}  // namespace tacit::inline v1::user_level
