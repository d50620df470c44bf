#include "experiments/support/interval_coverage.hpp"

#include <cmath>
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

std::unique_ptr<Sample> draw(const CoverageSetting& setting, std::size_t records, std::mt19937_64& random) {
  static constexpr double truth[columns + 1] = {1, -0.5, 0.2};
  const double size = setting.classes ? 2 : 0.5;
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  auto sample = std::make_unique<Sample>();
  DenseRows rows{.rows = records, .columns = columns, .values = {}};
  for (std::size_t i = 0; i < records; ++i) {
    double x[columns];
    for (double& value : x) value = uniform(random) - 0.5;
    double score = truth[columns];
    for (std::size_t k = 0; k < columns; ++k) score += truth[k] * x[k];
    score *= size;
    rows.values.insert(rows.values.end(), x, x + columns);
    const double label = setting.classes ? (uniform(random) < 1 / (1 + std::exp(-score)) ? 1.0 : -1.0)
                                         : std::clamp(score + 0.2 * normal(random), -1.0, 1.0);
    sample->data.labels.push_back(label);
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

}  // namespace

Coverage coverage(const CoverageSetting& setting, std::size_t fits, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto bits = noise::system_bits();
  const auto everybody = draw(setting, std::size_t{1} << 20, random);
  std::optional<Vector> population;
  Coverage found;
  for (std::size_t k = 0; k < fits; ++k) {
    const auto sample = draw(setting, setting.records, random);
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
    if (!population)
      population = minimiser(
          everybody->problem, plan,
          plan.strength * static_cast<double>(everybody->data.size()) / static_cast<double>(setting.records));
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
