#include "noise/selection.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "noise/coins.hpp"
#include "noise/mechanism.hpp"
#include "noise/round_exactly.hpp"
#include "noise/samplers.hpp"
#include "noise/shift_grid.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

namespace {

void require_candidates(std::size_t candidates) {
  if (candidates == 0) throw_error<UsageError>("there are no candidates to choose from");
}

std::size_t size(const Vector& x) { return static_cast<std::size_t>(x.size()); }
std::span<const double> view(const Vector& x) { return {x.data(), size(x)}; }

// f with 2f(Δ + u·range) ≤ epsilon: the computed log weights f·score of neighbours differ by at most
// f·Δ plus one rounding each, ≤ u·f·range, so their differences range over at most epsilon.
double weight_factor(const Sensitivity& sensitivity, double range, Pure epsilon) {
  const double per_score = add_up(sensitivity.total(), mul_up(2 * unit_roundoff, range));
  return div_down(epsilon.epsilon, 2 * per_score);
}

double clamp(double x, double range) { return x > -range ? std::min(x, range) : -range; }  // NaN: −range

}  // namespace

Step plan_exponential(const Sensitivity& sensitivity, double range, Pure epsilon, std::size_t candidates) {
  check_scores(sensitivity, range, epsilon);
  require_candidates(candidates);
  Step step;
  step.mechanism = "exponential";
  step.event = BoundedRangeEvent{epsilon.epsilon};
  step.sensitivity = sensitivity;
  step.scale = 1 / weight_factor(sensitivity, range, epsilon);
  step.dimension = candidates;
  return step;
}

Released<std::size_t> exponential(const Sensitive<Vector>& scores, double range, Pure epsilon, Meter& meter) {
  require_same_terms(scores, meter);
  const Vector& opened = Mechanism::open(scores);
  const Step step = plan_exponential(scores.sensitivity(), range, epsilon, size(opened));
  meter.charge(step);
  Mechanism::show(meter, step, view(opened));
  const double factor = weight_factor(scores.sensitivity(), range, epsilon);
  std::vector<double> log_weights;
  for (const double score : opened) log_weights.push_back(factor * clamp(score, range));
  return Mechanism::release(exponential_race(log_weights, meter.bits()));
}

Step plan_noisy_max(const Sensitivity& sensitivity, double range, Pure epsilon, std::size_t candidates) {
  require_candidates(candidates);
  // A winner still wins when its noise is shifted by 2Δ and everything else moves by Δ; on a grid that Δ is a
  // multiple of, rounding commutes with the shift (docs/mechanisms.md). So scale = 2Δ/epsilon.
  const ShiftGrid grid = shift_grid(sensitivity, range, epsilon);
  Step step;
  step.mechanism = "noisy-max";
  step.event = PureEvent{epsilon.epsilon};
  step.sensitivity = sensitivity;
  step.scale = grid.scale;
  step.grid = grid.lattice.grid;
  step.dimension = candidates;
  return step;
}

Released<std::size_t> noisy_max(const Sensitive<Vector>& scores, double range, Pure epsilon, Meter& meter) {
  require_same_terms(scores, meter);
  const Vector& opened = Mechanism::open(scores);
  const Step step = plan_noisy_max(scores.sensitivity(), range, epsilon, size(opened));
  meter.charge(step);
  Mechanism::show(meter, step, view(opened));
  std::vector<double> noisy(size(opened));
  add_laplace(view(opened), step.scale, Lattice{step.grid, range}, meter.bits(), noisy);
  return Mechanism::release(static_cast<std::size_t>(std::ranges::max_element(noisy) - noisy.begin()));
}

namespace {

// Ranks are whole and the target rank is a multiple of 2⁻¹⁰, so that every utility is exact in double.
constexpr double rank_unit = 0x1p-10;

Sensitivity rank_sensitivity() {
  return {.value = 1,
          .slack = 0,
          .norm = Norm::linf,
          .reason =
              "replacing, emptying, adding or removing one record changes each of the two counts by at "
              "most 1"};
}

}  // namespace

Step plan_quantile(std::size_t records, Pure epsilon, std::size_t grid_points) {
  return plan_exponential(rank_sensitivity(), static_cast<double>(std::max<std::size_t>(records, 1)), epsilon,
                          grid_points);
}

Released<double> quantile(std::span<const double> values, double quantile, std::span<const double> grid,
                          Pure epsilon, Meter& meter) {
  if (meter.budget().neighbours == Neighbours::add_remove)
    throw_error<UsageError>("a quantile's target rank uses n, which is private under add_remove");
  return quantile_of(values, values.size(), quantile, grid, epsilon, meter);
}

Released<double> quantile_of(std::span<const double> values, std::size_t public_records, double quantile,
                             std::span<const double> grid, Pure epsilon, Meter& meter) {
  if (!(quantile > 0 && quantile < 1))
    throw_error<UsageError>("the quantile is {}, expected between 0 and 1", quantile);
  if (!std::ranges::is_sorted(grid) || std::ranges::any_of(grid, [](double c) { return !std::isfinite(c); }))
    throw_error<UsageError>("the grid of a quantile must be ascending and finite");
  const auto n = static_cast<double>(public_records);
  if (n > 0x1p40) throw_error<UsageError>("a quantile of more than 2^40 records is not supported");
  const double target = std::nearbyint(quantile * n / rank_unit) * rank_unit;

  std::vector<double> sorted(values.begin(), values.end());
  for (double& v : sorted)
    if (std::isnan(v)) v = std::numeric_limits<double>::infinity();
  std::ranges::sort(sorted);
  Vector scores(static_cast<Eigen::Index>(grid.size()));
  for (std::size_t k = 0; k < grid.size(); ++k) {
    const auto below = static_cast<double>(std::ranges::lower_bound(sorted, grid[k]) - sorted.begin());
    const auto up_to = static_cast<double>(std::ranges::upper_bound(sorted, grid[k]) - sorted.begin());
    scores[static_cast<Eigen::Index>(k)] = -std::max({below - target, target - up_to, 0.0});
  }
  const Sensitive<Vector> ranked(std::move(scores), rank_sensitivity(), meter.budget().neighbours);
  const Released<std::size_t> chosen = exponential(ranked, std::max(n, 1.0), epsilon, meter);
  return chosen.map([](std::size_t k, std::span<const double> points) { return points[k]; }, Public(grid));
}

}  // namespace tacit::inline v1::noise
