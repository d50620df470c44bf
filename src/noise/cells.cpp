#include "noise/cells.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "noise/coins.hpp"
#include "noise/mechanism.hpp"
#include "noise/shift_grid.hpp"
#include "tacit/core.hpp"

// Notation: l = log weight, q = lattice, M = variation; l and M are multiples of q below 2^52 q, so that
// their sums and differences are exact.

namespace tacit::inline v1::noise {

namespace {

constexpr double most_cells = 0x1p24;

double power_of_two_below(double x) { return std::scalbn(1.0, std::ilogb(x)); }
bool is_power_of_two(double x) {
  int exponent = 0;
  return std::isfinite(x) && std::frexp(x, &exponent) == 0.5;
}

struct Weights {
  double factor = 0, lattice = 0, variation = 0;

  double log_weight(double score, double range) const {
    const double clamped = score > -range ? std::min(score, range) : -range;  // NaN: −range
    return lattice * std::nearbyint(factor * clamped / lattice);
  }
};

// 2(f·Δ + 2u·f·range + q) ≤ epsilon: neighbours' log weights differ by at most f·Δ, the rounding of each
// product, ≤ u·f·range, and q/2 for each rounding onto the lattice. Clamping one to within M of another, both
// of which move by at most as much, moves by no more (docs/localized_exponential.md).
Weights weights(const CellChoice& choice) {
  Weights result;
  result.lattice = power_of_two_below(std::min(choice.epsilon.epsilon, 1.0)) * 0x1p-20;
  const double per_score = add_up(choice.sensitivity.total(), mul_up(2 * unit_roundoff, choice.range));
  result.factor = div_down(sub_down(choice.epsilon.epsilon / 2, result.lattice), per_score);
  const double slope = result.factor * choice.steepness;
  // One more lattice unit for the two roundings onto it.
  result.variation = result.lattice * (std::ceil(slope * half_diagonal(choice.cells) / result.lattice) + 1);
  return result;
}

void check(const CellChoice& choice) {
  check_scores(choice.sensitivity, choice.range, choice.epsilon);
  const Cells& cells = choice.cells;
  if (!(is_power_of_two(cells.side) && cells.dimension >= 1 && cells.radius >= half_diagonal(cells)))
    throw_error<UsageError>("cells of side {} in {} dimensions do not fit a ball of radius {}", cells.side,
                            cells.dimension, cells.radius);
  if (count_in_cube(cells) > most_cells)
    throw_error<InfeasibleError>("{:.0f} cells are too many, at most {:.0f} are supported",
                                 count_in_cube(cells), most_cells);
  if (!(choice.steepness >= 0 && std::isfinite(choice.steepness)))
    throw_error<UsageError>("the steepness of scores is {}, expected a finite number >= 0", choice.steepness);
  const Weights w = weights(choice);
  if (!(w.factor * choice.range + w.variation < 0x1p52 * w.lattice))
    throw_error<InfeasibleError>("log weights up to {:.3g} are too many for steps of {:.3g}",
                                 w.factor * choice.range + w.variation, w.lattice);
}

void check_anchor(const Cells& cells, const Vector& anchor) {
  if (static_cast<std::size_t>(anchor.size()) != cells.dimension)
    throw_error<UsageError>("the anchor has {} coordinates, the cells {}", anchor.size(), cells.dimension);
  for (const double a : anchor)
    if (std::fmod(a, spacing(cells)) != 0 ||
        !(std::fabs(a) + cells.radius + cells.side < 0x1p52 * spacing(cells)))
      throw_error<UsageError>("the anchor's coordinate {} is not a multiple of {} within reach", a,
                              spacing(cells));
}

// Their lowest corners, from the anchor, in units of the side: one after the other, as there may be millions.
std::vector<double> corners(const Cells& cells) {
  const double far = std::ceil(cells.radius / cells.side);
  const auto d = static_cast<Eigen::Index>(cells.dimension);
  std::vector<double> result;
  Vector at = Vector::Constant(d, -far);
  for (;;) {
    // The center is at + ½; twice it is whole, and the squares add up exactly.
    const double twice = (2 * at.array() + 1).matrix().squaredNorm();
    if (twice * cells.side * cells.side <= 4 * cells.radius * cells.radius)
      result.insert(result.end(), at.begin(), at.end());
    Eigen::Index j = 0;
    while (j < d && at[j] == far - 1) at[j++] = -far;
    if (j == d) return result;
    at[j] += 1;
  }
}

// Uniform on the grid points of the unit cell, in units of the spacing.
Vector uniform_point(std::size_t dimension, BitSource& bits) {
  std::vector<std::uint64_t> words(dimension);
  bits.fill(words);
  Vector point(static_cast<Eigen::Index>(dimension));
  for (std::size_t j = 0; j < dimension; ++j)
    point[static_cast<Eigen::Index>(j)] =
        static_cast<double>(words[j] % static_cast<std::uint64_t>(cell_points));
  return point;
}

}  // namespace

double half_diagonal(const Cells& cells) {
  return mul_up(cells.side / 2, sqrt_up(static_cast<double>(cells.dimension)));
}

double count_in_cube(const Cells& cells) {
  return std::pow(2 * std::ceil(cells.radius / cells.side), static_cast<double>(cells.dimension));
}

double cell_variation(const CellChoice& choice) { return weights(choice).variation; }

Step plan_exponential_on_cells(const CellChoice& choice) {
  check(choice);
  Step step;
  step.mechanism = "exponential-on-cells";
  step.event = BoundedRangeEvent{choice.epsilon.epsilon};
  step.sensitivity = choice.sensitivity;
  step.scale = 1 / weights(choice).factor;
  step.grid = spacing(choice.cells);
  step.dimension = choice.cells.dimension;
  return step;
}

Released<Vector> exponential_on_cells(const Sensitive<CellScore>& score, const CellChoice& choice,
                                      const Vector& anchor, Meter& meter) {
  require_same_terms(score, meter);
  const Step step = plan_exponential_on_cells(choice);
  check_anchor(choice.cells, anchor);
  if (score.sensitivity().norm != Norm::linf || score.sensitivity().total() != choice.sensitivity.total())
    throw_error<UsageError>("a score's sensitivity is {}, but the choice was planned for {}",
                            score.sensitivity().total(), choice.sensitivity.total());
  meter.charge(step);

  const CellScore& opened = Mechanism::open(score);
  const Weights weight = weights(choice);
  const std::vector<double> cells = corners(choice.cells);
  const auto corner = [&](std::size_t k) {
    return Eigen::Map<const Vector>(cells.data() + k * choice.cells.dimension, anchor.size());
  };
  const Vector half = Vector::Constant(anchor.size(), 0.5);
  std::vector<double> scores, log_weights;
  for (std::size_t k = 0; k < cells.size() / choice.cells.dimension; ++k) {
    scores.push_back(opened.at(anchor + choice.cells.side * (corner(k) + half)));
    log_weights.push_back(weight.log_weight(scores.back(), choice.range));
  }
  Mechanism::show(meter, step, scores);

  // Cells hold equally many points, so l(c) + M bounds every point's weight alike, and both cancel.
  for (;;) {
    const std::size_t k = exponential_race(log_weights, meter.bits());
    const Vector x = anchor + choice.cells.side * corner(k) +
                     spacing(choice.cells) * uniform_point(choice.cells.dimension, meter.bits());
    const double least = log_weights[k] - weight.variation, bound = log_weights[k] + weight.variation;
    const double l = std::clamp(weight.log_weight(opened.at(x), choice.range), least, bound);
    if (bernoulli_exp(bound - l, meter.bits())) return Mechanism::release(x);
  }
}

}  // namespace tacit::inline v1::noise
