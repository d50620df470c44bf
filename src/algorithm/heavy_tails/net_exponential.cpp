#include "algorithm/heavy_tails/net_exponential.hpp"

#include <algorithm>
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
// A center is rounded to this part of the spacing, so that c + v is exact for every v of the net.
constexpr double center_share = 0x1p-10;

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
  if (std::floor(radius / spacing) >= least_side) return spacing;
  while (std::floor(radius / spacing) < least_side) spacing /= 2;
  const double side = std::floor(radius / spacing);
  throw_error<InfeasibleError>(
      "{} parameters are too many for a net of {} points: {:.6g} would be needed for {:.0f} on each side of "
      "its center",
      dimension, points, count_in_cube(side, dimension), side);
}

// Notation [Lowy26, (18), (19)]: v = w − c, gradient = g_{C,Z}(w) + λv, the mean over the records; γ = step.
double score(const Vector& v, const Vector& gradient, double step, double radius) {
  return (v - onto_ball(v - step * gradient, radius)).norm() / step;
}

// How far the computed mean gradient may be from the real mean of the records' computed gradients.
double gradient_rounding(const Shape& shape, const NetPlan& plan, const Options& options,
                         double center_bound) {
  const double n = static_cast<double>(shape.records);
  if (plan.smoothing_radius > 0) {
    // One after the other: gamma_n of Σ‖gradients‖ ≤ n·C·(1 + rounding); then the division and the
    // regulariser.
    const double size = 1.01 * (plan.limits.slope + plan.regularisation * plan.radius);
    return mul_up(gamma_bound(shape.records + 2 * shape.parameters() + 32), size);
  }
  // A center that is rounded to its grid moves by far less than r.
  const double center_norm = center_bound == 0 ? 0 : add_up(center_bound, plan.radius);
  const GradientError sum = gradient_error(shape, plan.limits, checked_strength(shape, plan.regularisation),
                                           center_norm, options.label_bound.value_or(0));
  return mul_up(1.01, div_up(sum.at(plan.radius), n));
}

// How far a computed score may be from the real one, at the same record set [docs/net_exponential.md, "On a
// machine"].
double score_error(const Shape& shape, const NetPlan& plan, const Options& options, double center_bound) {
  const double radius = plan.radius, gradient = gradient_rounding(shape, plan, options, center_bound);
  const double reach = radius + plan.step * (plan.limits.slope + plan.regularisation * radius + gradient);
  const double mapping = mul_up(gamma_bound(4 * shape.parameters() + 40), 1.01 * (2 * radius + reach));
  return add_up(gradient, div_up(mapping, plan.step));
}

// The mean gradient with its regulariser, g_{C,Z}(c + v) + λv, at the points v of the net.
class MeanGradient {
 public:
  MeanGradient(const Vector& center, const Problem& problem, const NetPlan& plan, const Options& options)
      : n_(static_cast<double>(public_shape(problem, options).records)),
        lambda_(plan.regularisation),
        center_(center) {
    if (plan.smoothing_radius > 0) {
      smoothed_.emplace(problem, plan.limits.slope, plan.smoothing_radius);
      return;
    }
    // The gradient of a loss limited to slope C is the clipped gradient.
    limited_.emplace(problem, plan.limits, Regulariser{.strength = n_ * lambda_, .center = center},
                     Vector::Zero(center.size()), options.label_bound.value_or(0), options.threads);
  }

  Vector operator()(const Vector& v) {
    const Vector w = center_ + v;  // exact
    if (smoothed_) return smoothed_->gradient(w) / n_ + lambda_ * v;
    Vector gradient;
    limited_->gradient(w, gradient, nullptr);
    return gradient / n_;
  }

 private:
  double n_, lambda_;
  Vector center_;
  std::optional<BallSmoothed> smoothed_;
  std::optional<LimitedObjective> limited_;
};

}  // namespace

std::string_view name(Smoothing smoothing) { return smoothing == Smoothing::ball ? "ball" : "curvature"; }

const OptionTable<Options>& net_lines() {
  static const OptionTable<NetSettings> settings = {
      field(&NetSettings::points, "net-points", between(least_points, most_points),
            "most points in the cube around the net"),
      choice(&NetSettings::smoothing, "smoothing", {Smoothing::curvature, Smoothing::ball},
             "of kinks: by the limit on curvature, or over a ball"),
      field(&NetSettings::smoothing_radius, "smoothing-radius", size_range, "of the ball")
          .within_words("2^-100 to 2^100")
          .otherwise("the net's spacing")
          .only_with("smoothing = ball",
                     [](const NetSettings& o) { return o.smoothing == Smoothing::ball; })};
  static const OptionTable<Options> table = {within(&Options::net, settings)};
  return table;
}

const OptionTable<Options>& net_exponential_table() {
  static const OptionTable<Options> table = {limits_table().lines(), places_table().lines(),
                                             net_lines().lines(), planned("net_spacing")};
  return table;
}

Facts certified_options(const NetPlan& plan, Options options) {
  options = settled(options, plan.limits, plan.regularisation);
  if (plan.smoothing_radius > 0) options.net.smoothing_radius = plan.smoothing_radius;
  Facts more;
  more.set("net_spacing", plan.spacing);
  return net_exponential_table().certified(options, more);
}

namespace {

// H: how fast the clipped gradient turns. Sets ρ where kinks are smoothed over a ball.
double smoothness_of(NetPlan& plan, const Shape& shape, const NetSettings& net) {
  if (net.smoothing != Smoothing::ball) {
    if (net.smoothing_radius)
      throw_error<UsageError>("smoothing-radius has no effect without smoothing = ball");
    return plan.limits.curvature;
  }
  if (!has_one_kink(shape.loss))
    throw_error<UsageError>("smoothing = ball is for the absolute, pinball and hinge losses");
  plan.smoothing_radius = net.smoothing_radius.value_or(plan.spacing);
  // Of a C-Lipschitz loss.
  return plan.limits.slope * std::sqrt(static_cast<double>(shape.parameters())) / plan.smoothing_radius;
}

// center_bound 0: the net of all of the ball around 0.
NetPlan plan_net(const Shape& shape, const Options& options, double center_bound) {
  options.validate();
  const double n = static_cast<double>(shape.records), p = static_cast<double>(shape.parameters());
  NetPlan plan;
  plan.limits = choose_limits(shape, options);
  // λ as for output perturbation [heuristic: utility only]; γ = 1/(λ + H) [Lowy26, Thm E.1], H ≤ Q.
  plan.regularisation = options.regularisation.value_or(plan.limits.slope / options.radius *
                                                        std::sqrt(p / (n * options.epsilon)));
  plan.radius =
      center_bound == 0 ? options.radius : std::min(plan.limits.slope / plan.regularisation, options.radius);
  plan.spacing = choose_spacing(plan.radius, shape.parameters(), options.net.points);
  plan.grid = center_bound == 0 ? 0 : plan.spacing * center_share;
  plan.step = 1 / (plan.regularisation + smoothness_of(plan, shape, options.net));

  const double error = score_error(shape, plan, options, center_bound);
  // One gradient of norm ≤ C for another, or for none.
  const double moved = div_up(shift_of(plan.limits.slope, options.neighbours), n);
  const double one_record =  // a smoothed record's computed gradient may be that much longer than C
      plan.smoothing_radius > 0 ? mul_up(BallSmoothed::rounding(shape.parameters()), moved) : 0;
  const bool replaced = options.neighbours == Neighbours::replace_one;
  const Sensitivity sensitivity{
      .value = moved,
      .slack = add_up(2 * error, one_record),
      .norm = Norm::linf,
      .reason = fmt::format(
          "the mean of gradients of norm <= C{} moves by <= {}C/n, and projection is nonexpansive; slack: "
          "twice the rounding of a score",
          replaced ? "" : ", one of them there or null,", replaced ? "2" : "")};
  // ‖(v − Π(v − γg))/γ‖ ≤ ‖g‖ for v in the ball.
  plan.range = 1.01 * (plan.limits.slope + plan.regularisation * plan.radius + error);
  const std::size_t candidates = net_points(shape.parameters(), plan.spacing, plan.radius).size();
  plan.choice = noise::plan_exponential(sensitivity, plan.range, Pure{options.epsilon}, candidates);
  return plan;
}

// The center is on the plan's grid.
Released<Vector> choose_point(const Vector& center, const NetPlan& plan, const Problem& problem,
                              const Options& options, Meter& meter) {
  // 1. The net, from the center.
  const std::vector<Vector> net =
      net_points(static_cast<std::size_t>(center.size()), plan.spacing, plan.radius);

  // 2.–3. Minus the clipped projected-gradient score at each of its points.
  MeanGradient gradient(center, problem, plan, options);
  Vector scores(static_cast<Eigen::Index>(net.size()));
  for (std::size_t k = 0; k < net.size(); ++k)
    scores[static_cast<Eigen::Index>(k)] = -score(net[k], gradient(net[k]), plan.step, plan.radius);

  // 4.–5. Choose a point with probability ∝ exp(ε·score/(2Δ)), exactly.
  const Sensitive<Vector> sensitive(std::move(scores), plan.choice.sensitivity, options.neighbours);
  const Released<std::size_t> chosen =
      noise::exponential(sensitive, plan.range, Pure{options.epsilon}, meter);
  return chosen.map(
      [](std::size_t k, const std::vector<Vector>& points, const Vector& c) { return Vector(c + points[k]); },
      Public(net), Public(center));
}

}  // namespace

NetPlan plan_net_exponential(const Shape& shape, const Options& options) {
  return plan_net(shape, options, 0);
}

NetPlan plan_net_around(const Shape& shape, const Options& options, double center_bound) {
  return plan_net(shape, options, center_bound);
}

bool representable(const NetPlan& plan, double center_bound) {
  return center_bound + plan.radius <= 0x1p52 * plan.grid;
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

Released<Vector> net_exponential_around(const Vector& center, double center_bound, const Problem& problem,
                                        const Options& options, Meter& meter) {
  const NetPlan plan = plan_net_around(public_shape(problem, options), options, center_bound);
  return choose_point(onto_grid(center, plan.grid), plan, problem, options, meter);
}

Release net_exponential(const Problem& problem, const Options& options, Meter& meter) {
  validate(problem);
  require_places(options, meter);
  const Shape shape = public_shape(problem, options);
  const NetPlan plan = plan_net_exponential(shape, options);
  require_sums_only(problem, options);
  const Vector zero = Vector::Zero(static_cast<Eigen::Index>(shape.parameters()));
  const Released<Vector> w = onto_domain(choose_point(zero, plan, problem, options, meter), problem.domain);

  return {w,
          certify("net-exponential", meter, certified_options(plan, options), public_facts(shape, options))};
}

}  // namespace tacit::inline v1::heavy_tails
