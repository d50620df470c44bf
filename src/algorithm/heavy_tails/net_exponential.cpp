#include "algorithm/heavy_tails/net_exponential.hpp"

#include <cmath>

#include "algorithm/heavy_tails/ball_smoothing.hpp"
#include "algorithm/onto_domain.hpp"
#include "noise/selection.hpp"
#include "tacit/core.hpp"
#include "tacit/domain.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

constexpr std::size_t least_points = 3, most_points = std::size_t{1} << 22;
constexpr double least_side = 2;  // points from the center to the edge of the net: less is no net

double count_in_cube(double side, std::size_t dimension) {
  return std::pow(2 * side + 1, static_cast<double>(dimension));
}

// The least power of two that leaves at most `points` multiples in the cube around the ball.
double choose_spacing(double radius, std::size_t dimension, std::size_t points) {
  const auto fits = [&](double spacing) {
    return count_in_cube(std::floor(radius / spacing), dimension) <= static_cast<double>(points);
  };
  double spacing = std::exp2(std::ceil(std::log2(radius)));
  while (fits(spacing / 2)) spacing /= 2;
  if (std::floor(radius / spacing) < least_side)
    throw_error<InfeasibleError>(
        "{} parameters are too many for a net of {} points: {:.6g} would be needed for {:.0f} on each side "
        "of 0",
        dimension, points, count_in_cube(least_side, dimension), least_side);
  return spacing;
}

// Notation [Lowy26, (18), (19)]: gradient = g_{C,Z}(w) + λw, the mean over the records; γ = step.
double score(const Vector& w, const Vector& gradient, double step, double radius) {
  return (w - onto_ball(w - step * gradient, radius)).norm() / step;
}

// How far the computed mean gradient may be from the real mean of the records' computed gradients.
double gradient_rounding(const Shape& shape, const NetPlan& plan, const Options& options) {
  const double n = static_cast<double>(shape.records);
  if (plan.smoothing_radius > 0) {
    // One after the other: gamma_n of Σ‖gradients‖ ≤ n·C·(1 + rounding); then the division and the
    // regulariser.
    const double size = 1.01 * (plan.limits.slope + plan.regularisation * options.radius);
    return mul_up(gamma_bound(shape.records + 2 * shape.parameters() + 32), size);
  }
  const GradientError sum = gradient_error(shape, plan.limits, checked_strength(shape, plan.regularisation),
                                           0, options.label_bound.value_or(0));
  return mul_up(1.01, div_up(sum.at(options.radius), n));
}

// How far a computed score may be from the real one, at the same record set [docs/net_exponential.md, "On a
// machine"].
double score_error(const Shape& shape, const NetPlan& plan, const Options& options) {
  const double radius = options.radius, gradient = gradient_rounding(shape, plan, options);
  const double reach = radius + plan.step * (plan.limits.slope + plan.regularisation * radius + gradient);
  const double mapping = mul_up(gamma_bound(4 * shape.parameters() + 40), 1.01 * (2 * radius + reach));
  return add_up(gradient, div_up(mapping, plan.step));
}

// The mean gradient with its regulariser, g_{C,Z}(w) + λw, at the points of the net.
class MeanGradient {
 public:
  MeanGradient(const Problem& problem, const NetPlan& plan, const Options& options)
      : n_(static_cast<double>(problem.data->size())), lambda_(plan.regularisation) {
    if (plan.smoothing_radius > 0) {
      smoothed_.emplace(problem, plan.limits.slope, plan.smoothing_radius);
      return;
    }
    const Vector zero = Vector::Zero(static_cast<Eigen::Index>(shape_of(problem).parameters()));
    // The gradient of a loss limited to slope C is the clipped gradient.
    limited_.emplace(problem, plan.limits, Regulariser{.strength = n_ * lambda_, .center = zero}, zero,
                     options.label_bound.value_or(0), options.threads);
  }

  Vector operator()(const Vector& w) {
    if (smoothed_) return smoothed_->gradient(w) / n_ + lambda_ * w;
    Vector gradient;
    limited_->gradient(w, gradient, nullptr);
    return gradient / n_;
  }

 private:
  double n_, lambda_;
  std::optional<BallSmoothed> smoothed_;
  std::optional<LimitedObjective> limited_;
};

}  // namespace

std::string_view name(Smoothing smoothing) { return smoothing == Smoothing::ball ? "ball" : "curvature"; }

const OptionTable<NetOptions>& NetOptions::table() {
  static const OptionTable<NetOptions> table = {
      within(&NetOptions::common, limits_table()),
      field(&NetOptions::points, "net-points", between(least_points, most_points),
            "most points in the cube around the net"),
      choice(&NetOptions::smoothing, "smoothing", {Smoothing::curvature, Smoothing::ball},
             "of kinks: by the limit on curvature, or over a ball"),
      field(&NetOptions::smoothing_radius, "smoothing-radius", size_range, "of the ball")
          .within_words("2^-100 to 2^100")
          .otherwise("the net's spacing"),
      planned("net_spacing")};
  return table;
}

void NetOptions::validate() const {
  common.validate();
  table().validate(*this);
  if (smoothing_radius && smoothing != Smoothing::ball)
    throw_error<UsageError>("smoothing-radius goes with smoothing = ball");
}

Facts certified_options(const NetPlan& plan, NetOptions options) {
  options.common = settled(options.common, plan.limits, plan.regularisation);
  if (plan.smoothing_radius > 0) options.smoothing_radius = plan.smoothing_radius;
  Facts more;
  more.set("net_spacing", plan.spacing);
  return NetOptions::table().certified(options, more);
}

NetPlan plan_net_exponential(const Shape& shape, const NetOptions& options) {
  options.validate();
  const Options& common = options.common;
  const double n = static_cast<double>(shape.records), p = static_cast<double>(shape.parameters());
  NetPlan plan;
  plan.limits = choose_limits(shape, common);
  // λ as for output perturbation [heuristic: utility only]; γ = 1/(λ + H) [Lowy26, Thm E.1], H ≤ Q.
  plan.regularisation =
      common.regularisation.value_or(plan.limits.slope / common.radius * std::sqrt(p / (n * common.epsilon)));
  plan.spacing = choose_spacing(common.radius, shape.parameters(), options.points);
  double smoothness = plan.limits.curvature;
  if (options.smoothing == Smoothing::ball) {
    if (!has_one_kink(shape.loss))
      throw_error<UsageError>("smoothing = ball is for the absolute, pinball and hinge losses");
    plan.smoothing_radius = options.smoothing_radius.value_or(plan.spacing);
    smoothness = plan.limits.slope * std::sqrt(p) / plan.smoothing_radius;  // of a C-Lipschitz loss
  }
  plan.step = 1 / (plan.regularisation + smoothness);

  const double error = score_error(shape, plan, common);
  const double one_record =  // a smoothed record's computed gradient may be that much longer than C
      plan.smoothing_radius > 0
          ? mul_up(BallSmoothed::rounding(shape.parameters()), div_up(2 * plan.limits.slope, n))
          : 0;
  const Sensitivity sensitivity{
      .value = div_up(2 * plan.limits.slope, n),
      .slack = add_up(2 * error, one_record),
      .norm = Norm::linf,
      .reason =
          "the mean of gradients of norm <= C moves by <= 2C/n, and projection is nonexpansive; slack: twice "
          "the rounding of a score"};
  // ‖(w − Π(w − γg))/γ‖ ≤ ‖g‖ for w in the ball.
  plan.range = 1.01 * (plan.limits.slope + plan.regularisation * common.radius + error);
  const std::size_t candidates = net_points(shape.parameters(), plan.spacing, common.radius).size();
  plan.choice = noise::plan_exponential(sensitivity, plan.range, Pure{common.epsilon}, candidates);
  return plan;
}

std::vector<Vector> net_points(std::size_t dimension, double spacing, double radius) {
  const double side = std::floor(radius / spacing);
  const auto p = static_cast<Eigen::Index>(dimension);
  std::vector<Vector> points;
  Vector at = Vector::Constant(p, -side);
  for (;;) {
    // The coordinates are whole: the squares add up exactly.
    if (at.squaredNorm() * spacing * spacing <= radius * radius) points.push_back(at * spacing);
    Eigen::Index j = 0;
    while (j < p && at[j] == side) at[j++] = -side;
    if (j == p) return points;
    at[j] += 1;
  }
}

Release net_exponential(const Problem& problem, const NetOptions& options, Meter& meter) {
  validate(problem);
  require_replaced_records(meter);
  const Shape shape = shape_of(problem);
  const NetPlan plan = plan_net_exponential(shape, options);
  const Options& common = options.common;

  // 1. The net.
  const std::vector<Vector> net = net_points(shape.parameters(), plan.spacing, common.radius);

  // 2.–3. Minus the clipped projected-gradient score at each of its points.
  MeanGradient gradient(problem, plan, common);
  Vector scores(static_cast<Eigen::Index>(net.size()));
  for (std::size_t k = 0; k < net.size(); ++k)
    scores[static_cast<Eigen::Index>(k)] = -score(net[k], gradient(net[k]), plan.step, common.radius);

  // 4.–5. Choose a point with probability ∝ exp(ε·score/(2Δ)), exactly.
  const Sensitive<Vector> sensitive(std::move(scores), plan.choice.sensitivity, Neighbours::replace_one);
  const Released<std::size_t> chosen = noise::exponential(sensitive, plan.range, Pure{common.epsilon}, meter);
  Released<Vector> w =
      chosen.map([](std::size_t k, const std::vector<Vector>& points) { return points[k]; }, Public(net));
  w = onto_domain(w, problem.domain);

  return {std::move(w),
          certify("net-exponential", meter, certified_options(plan, options), public_facts(shape, common))};
}

}  // namespace tacit::inline v1::heavy_tails
