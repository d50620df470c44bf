#include <cmath>
#include <vector>

#include "audit/black_box/mechanism_rows.hpp"
#include "noise/cells.hpp"
#include "noise/selection.hpp"
#include "noise/stable_releases.hpp"
#include "noise/threshold.hpp"
#include "privacy/accounting/conversions.hpp"

namespace tacit::inline v1::audit {

namespace {

Vector number(double x) { return Vector::Constant(1, x); }

// Two candidates whose scores move by 1 in opposite directions. Where the loser is unlikely the ratio of its
// probabilities comes near to e^epsilon. Without noise: two scores that change places.
Vector scores(Side side, const Knobs& knobs) {
  const bool first = side == Side::first;
  if (knobs.noise == 0) return first ? Vector{{0, 1}} : Vector{{1, 0}};
  return first ? Vector{{-2, 2}} : Vector{{-1, 1}};
}

Vector best(const Vector& x) {
  Eigen::Index index = 0;
  x.maxCoeff(&index);
  return number(static_cast<double>(index));
}

using Chooser = Released<std::size_t> (*)(const Sensitive<Vector>&, double, Pure, Meter&);

template <Chooser choose>
Vector run_choice(Side side, const Knobs& knobs, BitSource& bits) {
  const Vector x = scores(side, knobs);
  if (knobs.noise == 0) return best(x);
  RootMeter meter = open_meter(bits);
  const Sensitive<Vector> opened(x, told(knobs, Norm::linf), Neighbours::replace_one);
  return number(
      static_cast<double>(choose(opened, row_range, Pure{row_epsilon / knobs.noise}, meter).value()));
}

// On the line, cells on either side of 0, and the same two scores to choose between. Out comes the side.
Vector run_cells(Side side, const Knobs& knobs, BitSource& bits) {
  const Vector x = scores(side, knobs);
  if (knobs.noise == 0) return best(x);
  RootMeter meter = open_meter(bits);
  const noise::CellChoice choice{.cells = {.side = 1, .radius = 1, .dimension = 1},
                                 .sensitivity = told(knobs, Norm::linf),
                                 .range = row_range,
                                 .steepness = 0,
                                 .epsilon = Pure{row_epsilon / knobs.noise}};
  const noise::CellScore score{[x](const Vector& at) { return at[0] < 0 ? x[0] : x[1]; }};
  const Sensitive<noise::CellScore> opened(score, choice.sensitivity, Neighbours::replace_one);
  const double at = noise::exponential_on_cells(opened, choice, number(0), meter).value()[0];
  return number(at < 0 ? 0 : 1);
}

// Seven values between the two grid points, and records that move from the lower point to the upper one: one
// of them, or two where the mechanism is told half of its sensitivity.
std::vector<double> values_for_quantile(Side side, const Knobs& knobs) {
  std::vector<double> values{0, 0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1};
  if (side == Side::second)
    for (double k = 0; k * knobs.sensitivity < 1; ++k) values[static_cast<std::size_t>(k)] = 1;
  return values;
}

Vector run_quantile(Side side, const Knobs& knobs, BitSource& bits) {
  constexpr double grid[] = {0, 1};
  constexpr double rank = 0.65;
  if (knobs.noise == 0) return number(side == Side::first ? 0 : 1);  // the quantile of a lone record
  RootMeter meter = open_meter(bits);
  const std::vector<double> values = values_for_quantile(side, knobs);
  return number(noise::quantile(values, rank, grid, Pure{row_epsilon / knobs.noise}, meter).value());
}

// The last score is higher on the one neighbour, all the others on the other. Out comes the number of
// questions until the first yes.
Vector run_above_threshold(Side side, const Knobs& knobs, BitSource& bits) {
  constexpr int questions = 5;
  const double early = side == Side::first ? 0 : 1, last = 1 - early;
  if (knobs.noise == 0) return number(side == Side::first ? questions : 1);
  RootMeter meter = open_meter(bits);
  const Sensitivity sensitivity = told(knobs, Norm::l1);
  noise::AboveThreshold test(0, sensitivity, row_range, Pure{row_epsilon / knobs.noise}, meter);
  for (int k = 1; k <= questions; ++k) {
    const double score = k == questions ? last : early;
    if (test.ask({score, sensitivity, Neighbours::replace_one}).value()) return number(k);
  }
  return number(questions + 1);
}

constexpr noise::StabilityTest stability_test{.threshold = 4, .epsilon = Pure{0.5}, .delta = 1e-3};

// Basic composition of the test, its failures and the Gaussian step.
Claim propose_test_release_claim() {
  return {stability_test.epsilon.epsilon + gaussian_epsilon(row_mu, row_delta - stability_test.delta),
          row_delta};
}

// Stabilities on either side of the threshold, values 1 apart. Out comes the value, or nothing.
Vector run_propose_test_release(Side side, const Knobs& knobs, BitSource& bits) {
  const double at = side == Side::first ? 0 : 1;
  if (knobs.noise == 0) return number(at);
  RootMeter meter = open_meter(bits);
  noise::StabilityTest test = stability_test;
  test.epsilon.epsilon /= knobs.noise;
  const Sensitivity sensitivity = told(knobs, Norm::l2);
  const Sensitive<double> stability(test.threshold - 0.5 + at, sensitivity, Neighbours::replace_one);
  const Sensitive<Vector> value(number(at), sensitivity, Neighbours::replace_one);
  const auto released = noise::propose_test_release(
      test, stability, row_range, value, sensitivity.total() / row_mu * knobs.noise, row_range, meter);
  return released.value().value_or(Vector());
}

constexpr std::uint64_t stable_count = 2;

Claim stable_releases_claim() {
  const double failures = static_cast<double>(stable_count) * stability_test.delta;
  return {stability_test.epsilon.epsilon + gaussian_epsilon(row_mu, row_delta - failures), row_delta};
}

// Twice behind one test, which mostly passes, so that the values are seen; each has √2 times the noise, so
// that both cost row_mu. Out comes their sum, or nothing.
Vector run_stable_releases(Side side, const Knobs& knobs, BitSource& bits) {
  const double at = side == Side::first ? 0 : 1;
  if (knobs.noise == 0) return number(at);
  RootMeter meter = open_meter(bits);
  const Sensitivity sensitivity = told(knobs, Norm::l2);
  const double each = row_mu / std::sqrt(static_cast<double>(stable_count));
  noise::StableReleases releases({.releases = stable_count,
                                  .threshold = stability_test.threshold,
                                  .epsilon = Pure{stability_test.epsilon.epsilon / knobs.noise},
                                  .delta = stability_test.delta,
                                  .stability = told(knobs, Norm::l1),
                                  .stability_range = 8 * row_range,  // beyond the tests' floor
                                  .value = sensitivity,
                                  .sigma = sensitivity.total() / each * knobs.noise,
                                  .range = row_range},
                                 meter);
  double sum = 0;
  for (std::uint64_t k = 0; k < stable_count; ++k) {
    const Sensitive<double> stability(stability_test.threshold + 12 + at, told(knobs, Norm::l1),
                                      Neighbours::replace_one);
    const auto value =
        releases.release(stability, {number(at), sensitivity, Neighbours::replace_one}).value();
    if (!value) return {};
    sum += (*value)[0];
  }
  return number(sum);
}

}  // namespace

std::vector<AuditedMechanism> choice_rows() {
  return {{"exponential", {row_epsilon, 0}, run_choice<noise::exponential>},
          {"exponential-on-cells", {row_epsilon, 0}, run_cells},
          {"noisy-max", {row_epsilon, 0}, run_choice<noise::noisy_max>},
          {"quantile", {row_epsilon, 0}, run_quantile},
          {"above-threshold", {row_epsilon, 0}, run_above_threshold},
          {"propose-test-release", propose_test_release_claim(), run_propose_test_release},
          {"stable-releases", stable_releases_claim(), run_stable_releases}};
}

}  // namespace tacit::inline v1::audit
