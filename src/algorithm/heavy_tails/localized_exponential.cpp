#include "algorithm/heavy_tails/localized_exponential.hpp"

#include <algorithm>
#include <boost/math/distributions/gamma.hpp>
#include <cmath>

#include "algorithm/onto_domain.hpp"
#include "solver/anchored_values.hpp"
#include "tacit/core.hpp"
#include "tacit/domain.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

constexpr std::size_t least_cells = 16, most_cells = std::size_t{1} << 24;
constexpr double share_localized = 0.95;  // how often the ball holds the minimiser [heuristic: utility only]
// Of log weights in a cell, and where that would be too many cells [heuristic: time only]: about e^variation
// trials, each of which looks at all cells.
constexpr double largest_variation = 4, coarsest_variation = 8;
constexpr double half = 0.5 * (1 - 1e-12);  // of ε for each stage, with room for the meter's sum

// ‖b‖/scale of isotropic Laplace noise is Gamma(p).
double noise_quantile(std::size_t parameters) {
  return boost::math::quantile(boost::math::gamma_distribution<>(static_cast<double>(parameters)),
                               share_localized);
}

// Up to eight significant bits: the same on machines whose last digits differ.
double round_up(double x) {
  const double unit = std::scalbn(1.0, std::ilogb(x) - 7);
  return unit * std::ceil(x / unit);
}

// What the second stage chooses by, with cells of this side.
noise::CellChoice choice_with(double side, double radius, const Shape& shape,
                              const LocalizedExponentialPlan& plan, const Options& common) {
  const double n = static_cast<double>(shape.records), slope = plan.first.limits.slope;
  noise::CellChoice choice{.cells = {.side = side, .radius = radius, .dimension = shape.parameters()},
                           .epsilon = Pure{half * common.epsilon}};
  // Points are within r + h of the anchor, h half a cell's diagonal. A record's part is clamped to
  // ±C(r + h), which the limited loss obeys by itself up to rounding.
  const double reach = add_up(radius, noise::half_diagonal(choice.cells));
  const double record = mul_up(slope, reach), strength = n * plan.first.regularisation;
  const double pull = strength * (2 * plan.anchor_bound + reach);  // of the regulariser, over the ball
  choice.range = 1.01 * (n * record + 0.5 * pull * reach);
  choice.steepness = n * slope + pull;
  const bool replaced = common.neighbours == Neighbours::replace_one;
  choice.sensitivity = {
      .value = shift_of(record, common.neighbours),
      .slack = add_up(2 * anchored_sum_error(shape.records, record, shape.shards),
                      mul_up(2 * unit_roundoff, choice.range)),
      .norm = Norm::linf,
      .reason = fmt::format(
          "one record's part is clamped to +-C(r + h): {}, it moves the sum by <= {}C(r + h); slack: the "
          "rounding of two sums",
          replaced ? "replaced" : "there or null", replaced ? "2" : "")};
  return choice;
}

// The largest power of two for which log weights vary little within a cell; a larger one where that is too
// many cells.
noise::CellChoice choose_cells(double radius, const Shape& shape, const LocalizedExponentialPlan& plan,
                               const CellOptions& options) {
  const double dimension = static_cast<double>(shape.parameters());
  const double largest = std::scalbn(1.0, std::ilogb(radius / std::sqrt(dimension)));
  double side = largest;
  noise::CellChoice choice = choice_with(side, radius, shape, plan, options.common);
  while (noise::cell_variation(choice) > largest_variation)
    choice = choice_with(side /= 2, radius, shape, plan, options.common);
  const auto too_many = [&] {
    return noise::count_in_cube(choice.cells) > static_cast<double>(options.cells);
  };
  while (too_many() && side < largest) {
    const noise::CellChoice coarser = choice_with(side *= 2, radius, shape, plan, options.common);
    if (noise::cell_variation(coarser) > coarsest_variation) break;
    choice = coarser;
  }
  if (too_many())
    throw_error<InfeasibleError>(
        "{} parameters and {} records at epsilon {:g} are too many for {} cells: {:.3g} would be needed",
        shape.parameters(), shape.records, options.common.epsilon, options.cells,
        noise::count_in_cube(choice.cells));
  // So that no first release can end where doubles are coarser than the grid.
  if (!(plan.anchor_bound + radius + choice.cells.side < 0x1p51 * noise::spacing(choice.cells)))
    throw_error<InfeasibleError>("a grid of {:.3g} is too fine for doubles in a ball of radius {:g}",
                                 noise::spacing(choice.cells), options.common.radius);
  return choice;
}

// Onto the ball and then the grid: post-processing of the first release.
Vector anchor_of(const Vector& released, double radius, double spacing) {
  return onto_grid(onto_ball(released, radius), spacing);
}

}  // namespace

const OptionTable<CellOptions>& CellOptions::table() {
  static const OptionTable<CellOptions> table = {
      within(&CellOptions::common, limits_table()), within(&CellOptions::common, places_table()),
      field(&CellOptions::cells, "cells", between(least_cells, most_cells),
            "most cells in the cube around the ball"),
      planned("localisation_radius"), planned("cell_side")};
  return table;
}

void CellOptions::validate() const {
  common.validate();
  table().validate(*this);
}

Facts certified_options(const LocalizedExponentialPlan& plan, CellOptions options) {
  options.common = settled(options.common, plan.first.limits, plan.first.regularisation);
  Facts more;
  more.set("localisation_radius", plan.choice.cells.radius);
  more.set("cell_side", plan.choice.cells.side);
  return CellOptions::table().certified(options, more);
}

LocalizedExponentialPlan plan_localized_exponential(const Shape& shape, const CellOptions& options) {
  options.validate();
  const Options& common = options.common;
  const double n = static_cast<double>(shape.records), p = static_cast<double>(shape.parameters());
  const double quantile = noise_quantile(shape.parameters());
  LocalizedExponentialPlan plan;
  plan.localisation = common;
  plan.localisation.epsilon = half * common.epsilon;
  // Balances λR²/2, the bias at norm R, with p·2sr/(nε₂), what the second stage loses, s = 2C for a replaced
  // record and C for a null one [heuristic: utility only].
  if (!common.regularisation)
    plan.localisation.regularisation = 4 * shift_of(choose_limits(shape, common).slope, common.neighbours) /
                                       common.radius * std::sqrt(p * quantile) / (n * common.epsilon);
  plan.first = plan_limited_output(shape, plan.localisation);

  // 2R reaches all of the ball of radius R from anywhere in it.
  const double radius = round_up(
      std::min(plan.first.release.scale * quantile + plan.first.sensitivity.slack, 2 * common.radius));
  plan.anchor_bound = 1.01 * common.radius + radius / 1024;  // the grid moves it by less than a spacing
  plan.choice = choose_cells(radius, shape, plan, options);
  // What shift_of() doubled, where it did.
  plan.record_bound = plan.choice.sensitivity.value / shift_of(1, common.neighbours);
  plan.second = noise::plan_exponential_on_cells(plan.choice);
  return plan;
}

Released<Vector> exponential_around(const Vector& anchor, const LocalizedExponentialPlan& plan,
                                    const Problem& problem, const CellOptions& options, Meter& meter) {
  const AnchoredValues values(problem, plan.first.limits, anchor, plan.record_bound,
                              options.common.label_bound.value_or(0), options.common.threads);
  const double strength =
      static_cast<double>(public_shape(problem, options.common).records) * plan.first.regularisation;
  // −Σ φᵢ(w) − φᵢ(anchor) − (nλ/2)(‖w‖² − ‖anchor‖²).
  const noise::CellScore score{
      [&](const Vector& w) { return -values.sum(w) - 0.5 * strength * (w - anchor).dot(w + anchor); }};
  const Sensitive<noise::CellScore> sensitive(score, plan.choice.sensitivity, options.common.neighbours);
  return noise::exponential_on_cells(sensitive, plan.choice, anchor, meter);
}

Release localized_exponential(const Problem& problem, const CellOptions& options, Meter& meter) {
  validate(problem);
  require_places(options.common, meter);
  const Shape shape = public_shape(problem, options.common);
  const LocalizedExponentialPlan plan = plan_localized_exponential(shape, options);
  const Options& common = options.common;

  // 1. θ₀: output perturbation with half of ε.
  const Vector zero = Vector::Zero(static_cast<Eigen::Index>(shape.parameters()));
  const Released<Vector> first = limited_output_around(zero, 0, problem, plan.localisation, meter);
  const Vector anchor = anchor_of(first.value(), common.radius, plan.second.grid);

  // 2. A grid point of the ball around it, with probability ∝ exp(−ε₂(F(w) − F(θ₀))/(2Δ)), exactly, Δ =
  // 2C(r + h) for a replaced record and C(r + h) for a null one.
  Released<Vector> w = exponential_around(anchor, plan, problem, options, meter);
  w = onto_domain(w, problem.domain);

  return {std::move(w), certify("localized-exponential", meter, certified_options(plan, options),
                                public_facts(shape, common))};
}

}  // namespace tacit::inline v1::heavy_tails
