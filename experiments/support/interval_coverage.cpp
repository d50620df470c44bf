#include "experiments/support/interval_coverage.hpp"

#include <array>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>
#include <random>

#include "algorithm/heavy_tails/limited_objective.hpp"
#include "algorithm/heavy_tails/limited_output.hpp"
#include "algorithm/intervals/intervals.hpp"
#include "solver/certified.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::experiment {

namespace {

constexpr std::size_t columns = 2;

struct Sample {
  Dataset data;
  Problem problem;
};

// One record's chances: its features, and what its label comes from, all uniform on (0, 1).
using Chances = std::array<double, columns + 1>;

double label_of(bool classes, double score, double chance) {
  if (classes) return chance < 1 / (1 + std::exp(-score)) ? 1.0 : -1.0;
  const double normal = std::numbers::sqrt2 * boost::math::erf_inv(2 * chance - 1);
  return std::clamp(score + 0.2 * normal, -1.0, 1.0);
}

// Records whose chances are `next(i)`.
template <class Next>
std::unique_ptr<Sample> make(const CoverageSetting& setting, std::size_t records, const Next& next) {
  static constexpr double truth[columns + 1] = {1, -0.5, 0.2};
  const double size = setting.classes ? 2 : 0.5;
  auto sample = std::make_unique<Sample>();
  DenseRows rows{.rows = records, .columns = columns, .values = {}};
  for (std::size_t i = 0; i < records; ++i) {
    const Chances chances = next(i);
    double score = truth[columns];
    for (std::size_t k = 0; k < columns; ++k) {
      rows.values.push_back(chances[k] - 0.5);
      score += truth[k] * rows.values.back();
    }
    sample->data.labels.push_back(label_of(setting.classes, size * score, chances[columns]));
  }
  sample->data.features = Features(std::move(rows));
  sample->data.target_kind = setting.classes ? TargetKind::classes : TargetKind::numeric;
  if (setting.classes) sample->data.classes = {"a", "b"};
  sample->problem = {.data = &sample->data,
                     .loss = Link{setting.classes ? LinkKind::logistic : LinkKind::squared, 0},
                     .blocks = FeatureBlocks::with_intercept(
                         std::vector<FeatureBlock>(columns, {.size = 1, .bound = 0.5}), 1)};
  return sample;
}

std::unique_ptr<Sample> draw(const CoverageSetting& setting, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0x1p-60, 1);
  return make(setting, setting.records, [&](std::size_t) {
    Chances chances;
    for (double& chance : chances) chance = uniform(random);
    return chances;
  });
}

// The digits of i in this base, mirrored at the point.
double mirrored(std::size_t i, std::size_t base) {
  double value = 0, place = 1;
  for (; i > 0; i /= base) value += static_cast<double>(i % base) * (place /= static_cast<double>(base));
  return value;
}

// The population: Halton's points fill the space of chances evenly. Random records as many would be off by
// 1/√N of a record's deviation, the same way for every fit; these are by about N^(−2/3).
std::unique_ptr<Sample> everybody(const CoverageSetting& setting) {
  return make(setting, std::size_t{1} << 19, [](std::size_t i) {
    return Chances{mirrored(i + 1, 2), mirrored(i + 1, 3), mirrored(i + 1, 5)};
  });
}

// A share of the whole; with a delta, half of that.
Guarantee part(const Guarantee& whole, double share) {
  if (const auto* pure = std::get_if<Pure>(&whole)) return Pure{share * pure->epsilon};
  const auto& approx = std::get<Approx>(whole);
  return Approx{share * approx.epsilon, 0.49 * approx.delta};
}

heavy_tails::Options options_for(const Guarantee& guarantee, const Shape& shape) {
  heavy_tails::Options options;
  options.neighbours = Neighbours::zero_out;
  if (const auto* approx = std::get_if<Approx>(&guarantee)) options.delta = approx->delta;
  options.epsilon = options.delta ? std::get<Approx>(guarantee).epsilon : std::get<Pure>(guarantee).epsilon;
  options.row_norm_bound = shape.blocks.l2_bound();
  options.label_bound = 1;
  options.radius = heavy_tails::radius_for_blocks(shape, options.epsilon);
  options.threads = 1;
  return options;
}

Release fitted(const CoverageSetting& setting, const Problem& problem, Meter& meter) {
  const heavy_tails::Options options = options_for(meter.budget().limit, shape_of(problem));
  if (setting.method == "limited-output") return heavy_tails::limited_output(problem, options, meter);
  return heavy_tails::limited_objective(problem, {.common = options}, meter);
}

Vector minimiser(const Problem& problem, const intervals::Plan& plan, double strength) {
  const auto p = static_cast<Eigen::Index>(plan.features);
  LimitedObjective objective(problem, plan.limits, {.strength = strength, .center = Vector::Zero(p)},
                             Vector::Zero(p), plan.label_bound, 1);
  return minimise(objective, {}).point;
}

double share_within(const Vector& difference, const Vector& half) {
  return (difference.array().abs() <= half.array()).cast<double>().mean();
}

Vector population_of(const CoverageSetting& setting, const intervals::Plan& plan) {
  const auto all = everybody(setting);
  const double each = static_cast<double>(all->data.size()) / static_cast<double>(setting.records);
  return minimiser(all->problem, plan, plan.strength * each);
}

}  // namespace

Coverage coverage(const CoverageSetting& setting, std::size_t fits, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto bits = noise::system_bits();
  std::optional<Vector> population;
  Coverage found;
  for (std::size_t k = 0; k < fits; ++k) {
    const auto sample = draw(setting, random);
    RootMeter meter({part(setting.guarantee, 1 - setting.share), Unit::item, Neighbours::zero_out}, *bits);
    const Release release = fitted(setting, sample->problem, meter);
    const Certificate& c = release.certificate;
    const intervals::Fit fit{c.method, c.options, c.assumed_public, c.steps, c.neighbours};
    const Guarantee cost = part(setting.guarantee, setting.share);
    const intervals::Plan plan = intervals::plan(fit, cost);
    RootMeter own({cost, Unit::item, Neighbours::zero_out}, *bits);
    const Vector w = release.parameters.value();
    const Vector moments = intervals::release(plan, sample->problem, w, 1, own).value();
    const intervals::HalfWidths half = intervals::half_widths(plan, fit, moments, setting.level);
    if (!population) population = population_of(setting, plan);
    const double each = 1 / static_cast<double>(fits);
    found.population += each * share_within(w - *population, half.population);
    found.minimiser +=
        each * share_within(w - minimiser(sample->problem, plan, plan.strength), half.minimiser);
    found.half_width += each * half.population.mean();
    found.noise_width += each * half.minimiser.mean();
  }
  return found;
}

}  // namespace tacit::experiment
