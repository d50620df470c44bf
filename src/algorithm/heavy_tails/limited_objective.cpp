#include "algorithm/heavy_tails/limited_objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "algorithm/onto_domain.hpp"
#include "noise/shaped_laplace.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "solver/certified.hpp"
#include "solver/records_per_block.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/domain.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

// Shares of epsilon [heuristic: utility only].
constexpr double cover_share = 0.01;
// Of the Jacobian's term, at most; of classes on encoded rows more is better, of numbers it is not
// [docs/features.md].
constexpr double jacobian_share = 0.3, jacobian_share_for_classes = 0.4;

std::string reason_of(const LossLimits& limits, Neighbours neighbours) {
  const bool replaced = neighbours == Neighbours::replace_one, shaped = !limits.blocks.empty();
  const bool in_plane = limits.blocks.in_plane();
  return fmt::format(
      "one record's gradient has {} <= {}{}{}; the Jacobian ratio adds rank ln(1 + Q/(n lambda))",
      shaped ? "gauge" : "norm", shaped ? "s" : "C",
      in_plane ? fmt::format(" and lies in the plane of the full blocks, of dimension {}",
                             limits.blocks.plane_dimension())
               : "",
      !replaced ? ", and a null one's is 0"
      : shaped  ? ", so two differ by <= 2s"
                : ", so two differ by <= 2C");
}

// How far noise that costs what is left moves w, about, times nλ/shift: d/ε for isotropic Laplace noise, √d/μ
// for Gaussian noise.
double relative_noise(const Shape& shape, const LossLimits& limits, const Options& options) {
  if (!limits.blocks.empty()) return std::sqrt(limits.blocks.mean_square(shape.outputs)) / options.epsilon;
  const double d = static_cast<double>(shape.parameters());
  return options.delta ? std::sqrt(d) / calibrate_gaussian({options.epsilon, *options.delta})
                       : d / options.epsilon;
}

// λ = max(Q/(n(e^{share·ε/rank} − 1)), shift·noise/(nR)) [heuristic: utility only]: the Jacobian term then
// takes at most that share of ε, and the noise alone moves w by no more than about R.
double choose_regularisation(const Shape& shape, const LossLimits& limits, const ObjectiveOptions& asked) {
  const Options& options = asked.common;
  if (options.regularisation) return *options.regularisation;
  const double n = static_cast<double>(shape.records), rank = static_cast<double>(shape.outputs);
  const bool encoded_classes = classifies(shape.loss) && !limits.blocks.empty() && shape.features > 1;
  const double share = encoded_classes ? jacobian_share_for_classes : jacobian_share;
  const double noise = shift_of(limits.slope, options.neighbours) * relative_noise(shape, limits, options);
  return std::max(limits.curvature / (n * std::expm1(share * options.epsilon / rank)),
                  noise / (n * options.radius));
}

// The blocks that noise is made for: with one output in the plane of the full ones. Its law is a polynomial
// of degree Σ(k − 1), and the time to tabulate it grows with the square [heuristic: utility only].
FeatureBlocks noise_blocks(const Shape& shape) {
  constexpr std::size_t most = 1024;
  std::size_t degree = 0;
  for (const FeatureBlock& block : shape.blocks.list()) degree += block.full ? block.size - 1 : 0;
  const bool planar = shape.blocks.in_plane() && shape.outputs == 1 && degree > 0 && degree <= most;
  return planar || shape.blocks.empty() ? shape.blocks : shape.blocks.without_plane();
}

// The rules of choose_limits for rows of gauge 1, as encoders make them, whose ℓ2 norm is at most √Σρ²
// [heuristic: utility only].
LossLimits shaped_limits(const Shape& shape, Options options) {
  if (shape.blocks.features() != shape.features)
    throw_error<UsageError>("the blocks have {} features, the problem has {}", shape.blocks.features(),
                            shape.features);
  options.row_norm_bound = 1;
  LossLimits limits = choose_limits(shape, options);
  options.row_norm_bound = shape.blocks.l2_bound();
  limits.curvature = choose_limits(shape, options).curvature;
  limits.blocks = noise_blocks(shape);
  return limits;
}

// Whether noise has the shape of the blocks. With a delta it may be Gaussian instead: the shorter of the two,
// for records of gauge 1, whose gradients have an l2 norm of at most √Σρ² [heuristic: utility only]. Pure
// noise keeps every delta.
bool takes_shaped_noise(const Shape& shape, const Options& options) {
  if (shape.blocks.empty() || !options.delta) return !shape.blocks.empty();
  const double shaped = std::sqrt(noise_blocks(shape).mean_square(shape.outputs)) / options.epsilon;
  const double gaussian = shape.blocks.l2_bound() * std::sqrt(static_cast<double>(shape.parameters())) /
                          calibrate_gaussian({options.epsilon, *options.delta});
  return shaped <= gaussian;
}

// A record's gradient, as the output varies, stays within the hull of few points: two for a linear model
// (none is 0 when the slope can have either sign), 0 and one for each other class for softmax. The counts of
// those that are not 0, or of pairs of them, one for each of two records, by how far apart they lie
// [docs/gaussian_objective.md].
GaussianObjectiveEvent corners_of(const Shape& shape, Neighbours neighbours) {
  const auto rank = static_cast<std::uint64_t>(shape.outputs);
  const auto* link = std::get_if<Link>(&shape.loss);
  const bool either_sign = link && !facts(*link).classification;
  if (neighbours != Neighbours::replace_one)
    return {.mu = 1, .jacobian = 0, .far = either_sign ? 2 : rank, .near = 0};
  return {.mu = 1, .jacobian = 0, .far = either_sign ? 2 : rank * rank, .near = 2 * rank};
}

// The scale of the noise and what it costs, with this Jacobian term and the noise cover beside it. At one
// output the two b's differ by ≤ shift.
struct Noise {
  double scale;
  Event event;
};

// b has density ∝ exp(−‖b‖/scale), in ℓ2 or in the gauge of the blocks.
Noise laplace_noise(double shift, double jacobian, double cover_epsilon, const Shape& shape,
                    const LossLimits& limits, const Options& options) {
  // With a delta the accountant's grid may round the sum of pure costs up: a part in 10³ is left for that.
  const double whole = options.delta ? options.epsilon * (1 - 1e-3) : options.epsilon;
  const double left = (whole - cover_epsilon - jacobian) * (1 - 1e-12);
  if (!(left > 1e-3 * options.epsilon))
    throw_error<UsageError>(
        "epsilon {} leaves nothing for noise: the Jacobian term {:.4g} = {} ln(1 + Q/(n lambda)) takes all; "
        "a "
        "regularisation above {:.4g} is needed",
        options.epsilon, jacobian, shape.outputs,
        limits.curvature / (static_cast<double>(shape.records) *
                            std::expm1(0.5 * options.epsilon / static_cast<double>(shape.outputs))));
  const double scale = div_up(shift, left);
  return {scale, PureEvent{add_up(div_up(shift, scale), jacobian)}};
}

// b ~ N(0, scale²I), at this share of epsilon. The accountant's grid may differ a little with mu: a part in
// 10⁵ is left for that.
Noise gaussian_noise(double shift, double jacobian, double cover_epsilon, const Shape& shape,
                     const Options& options, double share) {
  GaussianObjectiveEvent event = corners_of(shape, options.neighbours);
  event.jacobian = jacobian;
  const Event cover = PureEvent{cover_epsilon};
  const double mu =
      calibrate_objective(event, {&cover, 1}, {share * options.epsilon * (1 - 1e-5), *options.delta});
  const double scale = div_up(shift, mu);
  event.mu = div_up(shift, scale);
  return {scale, event};
}

// `share`: of epsilon, that Gaussian noise is calibrated to.
ObjectivePlan plan_around(const Shape& shape, const ObjectiveOptions& asked, double center_bound,
                          double share) {
  asked.validate();
  const Options& options = asked.common;
  if (options.mu)
    throw_error<UsageError>(
        "objective perturbation is not mu-GDP for any mu; give epsilon, or epsilon and delta");
  ObjectivePlan plan;
  const bool shaped = takes_shaped_noise(shape, options);
  plan.limits = shaped ? shaped_limits(shape, options) : choose_limits(shape, options);
  plan.regularisation = choose_regularisation(shape, plan.limits, asked);
  plan.radius = projection_radius(options);

  // Notation: C, Q = limits, strength = nλ, rank = outputs.
  const double strength = checked_strength(shape, plan.regularisation);
  const double rank = static_cast<double>(shape.outputs);

  // Jacobian ratio ≤ (1 + Q/(nλ))^rank: the n−1 shared records and the regulariser give H₀ ⪰ nλI, and one
  // record's Hessian has norm ≤ Q and rank ≤ `rank` [docs/limited_objective.md, step 3].
  const double jacobian = mul_up(rank, log1p_up(div_up(plan.limits.curvature, strength)));
  plan.cover_epsilon = cover_share * options.epsilon;
  const double shift = shift_of(plan.limits.slope, options.neighbours);
  const Noise noise = options.delta && !shaped
                          ? gaussian_noise(shift, jacobian, plan.cover_epsilon, shape, options, share)
                          : laplace_noise(shift, jacobian, plan.cover_epsilon, shape, plan.limits, options);
  plan.perturbation = {.mechanism = "objective-perturbation",
                       .event = noise.event,
                       .sensitivity = {.value = shift,
                                       .slack = 0,
                                       .norm = shaped ? Norm::gauge : Norm::l2,
                                       .reason = reason_of(plan.limits, options.neighbours)},
                       .scale = noise.scale,
                       .grid = shaped ? noise::shaped_perturbation_grid(plan.limits.blocks, noise.scale)
                                      : noise::perturbation_grid(noise.scale),
                       .dimension = shape.parameters()};

  // t': solver, rounding of b (the minimiser moves by ≤ ‖δb‖/(nλ)), projection.
  const GradientError error =
      gradient_error(shape, plan.limits, strength, center_bound, options.label_bound.value_or(0));
  const double rounding =
      add_up(div_up(noise::perturbation_rounding(plan.perturbation.grid, shape.parameters()), strength),
             recentring_error(center_bound, plan.radius));
  plan.distance =
      projected_distance(solver_distance(error, strength), rounding, plan.radius, shape.parameters());
  plan.range = add_up(center_bound, plan.radius);
  plan.cover = noise::plan_cover(plan.distance, Pure{plan.cover_epsilon}, plan.range, shape.parameters());
  return plan;
}

// What the accountant charges for the whole plan, of a budget with a delta.
bool costs_more_than_asked(const ObjectivePlan& plan, const Options& options) {
  if (!options.delta) return false;
  const std::array<Event, 2> events = {plan.perturbation.event, plan.cover.event};
  return account(events, *options.delta).epsilon_upper > options.epsilon;
}

// The accountant's grid differs with mu, so that what was calibrated on one may cost a little more on that of
// the scale that was rounded from it: then a little less is asked for.
ObjectivePlan plan_within_budget(const Shape& shape, const ObjectiveOptions& asked, double center_bound) {
  ObjectivePlan plan = plan_around(shape, asked, center_bound, 1);
  constexpr double smaller = 1 - 1e-3;
  for (double share = smaller; costs_more_than_asked(plan, asked.common) && share > 0.9; share *= smaller)
    plan = plan_around(shape, asked, center_bound, share);
  return plan;
}

// Step by step as the plan says; `strength` = nλ.
Released<Vector> run(const ObjectivePlan& plan, double strength, const Vector& center, const Problem& problem,
                     const Options& options, Meter& meter) {
  // 1. Draw b, exactly on its grid.
  const noise::Perturbation b =
      plan.limits.blocks.empty()
          ? noise::perturb(plan.perturbation, meter)
          : noise::perturb_shaped(plan.perturbation, plan.limits.blocks, shape_of(problem).outputs, meter);

  // 2. w* = argmin Σ φᵢ(⟨aᵢ,w⟩) + (nλ/2)‖w − center‖² + ⟨b,w⟩, within a certified distance.
  LimitedObjective objective(problem, plan.limits, {.strength = strength, .center = center}, b.value,
                             options.label_bound.value_or(0), options.threads);
  const Certified solution = minimise(objective, {});

  // 3. Project onto the public ball, so that the distance has a public bound; cover it.
  const Ideal<Vector> ideal(onto_ball_around(center, solution.point, plan.radius), plan.distance,
                            "certified solver distance, rounding of b and of the projection");
  return noise::cover(ideal, Pure{plan.cover_epsilon}, plan.range, meter);
}

Shape without_blocks(Shape shape) {
  shape.blocks = {};
  return shape;
}

}  // namespace

double radius_for_blocks(const Shape& shape, double epsilon) {
  const auto* link = std::get_if<Link>(&shape.loss);
  const bool scores = classifies(shape.loss) || (link != nullptr && link->kind == LinkKind::poisson);
  if (!scores) return 1;
  // The more the records say over the noise, the larger the parameters that are worth finding.
  const double each = records_per_block(shape, epsilon);
  if (each < 60) return 2;
  return std::clamp(3 * std::sqrt(each / 250), 3.0, 10.0) * std::sqrt(static_cast<double>(shape.outputs));
}

void ObjectiveOptions::validate() const {
  common.validate();
  table().validate(*this);
}

const OptionTable<ObjectiveOptions>& ObjectiveOptions::table() {
  static const OptionTable<ObjectiveOptions> table = {
      within(&ObjectiveOptions::common, limits_table()), within(&ObjectiveOptions::common, relation_table()),
      planned("projection_radius"), planned("distance"), planned("feature_blocks")};
  return table;
}

ObjectivePlan plan_limited_objective(const Shape& shape, const ObjectiveOptions& options) {
  return plan_within_budget(shape, options, 0);
}

ObjectivePlan plan_limited_objective(const Shape& shape, const Options& options) {
  return plan_limited_objective(shape, options, 0);
}

ObjectivePlan plan_limited_objective(const Shape& shape, const Options& options, double center_bound) {
  return plan_within_budget(without_blocks(shape), {.common = options}, center_bound);
}

Released<Vector> limited_objective_around(const Vector& center, double center_bound, const Problem& problem,
                                          const Options& options, Meter& meter) {
  const Shape shape = shape_of(problem);
  const ObjectivePlan plan = plan_limited_objective(shape, options, center_bound);
  const double strength = static_cast<double>(shape.records) * plan.regularisation;
  return run(plan, strength, center, problem, options, meter);
}

Release limited_objective(const Problem& problem, const ObjectiveOptions& options, Meter& meter) {
  validate(problem);
  require_relation(options.common, meter);
  const Shape shape = public_shape(problem, options.common);
  const ObjectivePlan plan = plan_limited_objective(shape, options);
  const double strength = static_cast<double>(shape.records) * plan.regularisation;

  const Vector zero = Vector::Zero(static_cast<Eigen::Index>(shape.parameters()));
  Released<Vector> w = run(plan, strength, zero, problem, options.common, meter);
  // 4. Onto the domain: post-processing.
  w = onto_domain(w, problem.domain);

  return {std::move(w), certify("limited-objective", meter, certified_options(plan, options),
                                public_facts(shape, options.common),
                                count_assumptions(options.common.neighbours, shape.records))};
}

Facts certified_options(const ObjectivePlan& plan, const ObjectiveOptions& options) {
  ObjectiveOptions stated = options;
  stated.common = settled(options.common, plan.limits, plan.regularisation);
  Facts more;
  more.set("projection_radius", plan.radius);
  more.set("distance", plan.distance);
  if (!plan.limits.blocks.empty()) more.set("feature_blocks", plan.limits.blocks.text());
  return ObjectiveOptions::table().certified(stated, more);
}

}  // namespace tacit::inline v1::heavy_tails
