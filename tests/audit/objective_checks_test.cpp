// The checks that are made for objective perturbation pass the method and fail each way of getting it wrong.

#include <gtest/gtest.h>

#include "algorithm/heavy_tails/limited_objective.hpp"
#include "settings.hpp"
#include "solver/certified.hpp"
#include "tacit/audit.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit {
namespace {

enum class ObjectiveFault {
  none,
  half_the_noise,
  one_gradient,        // C in place of 2C
  free_jacobian,       // the Jacobian's share of epsilon is spent on noise as well
  far_from_minimiser,  // the solver stops a thousand times too early
  other_limits,        // the loss is limited less than the certificate says
  noise_from_data,     // a second draw on one of the two neighbours
};

template <ObjectiveFault fault>
Release faulty_objective(const Problem& problem, const Facts& facts, Meter& meter) {
  const Shape shape = shape_of(problem);
  const auto options = heavy_tails::Options::from(facts);
  heavy_tails::ObjectivePlan plan = heavy_tails::plan_limited_objective(shape, options);
  Step& step = plan.perturbation;
  const auto p = static_cast<Eigen::Index>(shape.parameters());
  const double strength = static_cast<double>(shape.records) * plan.regularisation;
  if constexpr (fault == ObjectiveFault::half_the_noise || fault == ObjectiveFault::one_gradient)
    step.scale /= 2;
  if constexpr (fault == ObjectiveFault::one_gradient) step.sensitivity.value /= 2;
  if constexpr (fault == ObjectiveFault::free_jacobian)
    step.scale = step.sensitivity.total() / std::get<PureEvent>(step.event).epsilon;
  step.grid = noise::perturbation_grid(step.scale);

  Vector b = noise::perturb(step, meter).value;
  if constexpr (fault == ObjectiveFault::noise_from_data)
    if (problem.data->labels[0] > 0) b += Vector::Ones(p);
  LossLimits limits = plan.limits;
  if constexpr (fault == ObjectiveFault::other_limits) limits.slope *= 3;
  LimitedObjective objective(problem, limits, {.strength = strength, .center = Vector::Zero(p)}, b,
                             options.label_bound.value_or(0), 1);
  Vector w = minimise(objective, {}).point;
  if constexpr (fault == ObjectiveFault::far_from_minimiser) w[0] += 1000 * plan.distance;
  const Ideal<Vector> ideal(onto_ball(w, plan.radius), plan.distance, "claimed");
  Released<Vector> released = noise::cover(ideal, Pure{plan.cover_epsilon}, plan.radius, meter);

  Facts certified = heavy_tails::option_facts(options, plan.limits, plan.regularisation);
  certified.set("projection_radius", plan.radius);
  return {std::move(released), certify("limited-objective", meter, std::move(certified),
                                       heavy_tails::public_facts(shape, options))};
}

// What failed in an audit of the faulty method.
template <ObjectiveFault fault>
std::string failures() {
  Method method = find_method("limited-objective");
  method.fit = faulty_objective<fault>;
  audit::MethodAuditOptions options;
  options.neighbours = Neighbours::replace_one;  // what the faulty plans are made for
  options.black_box = testing::seeded_black_box(20, 0.5, 1);
  std::string text;
  for (const audit::Check& check : audit_method(method, options).checks)
    if (!check.ok()) text += check.what + "\n";
  return text;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(ObjectiveChecks, PassTheMethodWithoutAFault) { EXPECT_EQ(failures<ObjectiveFault::none>(), ""); }

TEST(ObjectiveChecks, CatchHalfTheNoise) {
  const std::string failed = failures<ObjectiveFault::half_the_noise>();
  EXPECT_TRUE(has(failed, "log-densities")) << failed;
  EXPECT_TRUE(has(failed, "the shift over scale")) << failed;
}

TEST(ObjectiveChecks, CatchASensitivityOfOneGradientInPlaceOfTwo) {
  const std::string failed = failures<ObjectiveFault::one_gradient>();
  EXPECT_TRUE(has(failed, "gradients at one output")) << failed;
  EXPECT_TRUE(has(failed, "log-densities")) << failed;
}

TEST(ObjectiveChecks, CatchAJacobianThatWasNotPaidFor) {
  EXPECT_TRUE(has(failures<ObjectiveFault::free_jacobian>(), "the Jacobian's term"));
}

TEST(ObjectiveChecks, CatchASolverThatStopsTooEarly) {
  EXPECT_TRUE(has(failures<ObjectiveFault::far_from_minimiser>(), "distance to the ideal sample"));
}

TEST(ObjectiveChecks, CatchLimitsThatAreNotTheCertifiedOnes) {
  EXPECT_TRUE(has(failures<ObjectiveFault::other_limits>(), "distance to the ideal sample"));
}

TEST(ObjectiveChecks, CatchNoiseThatIsNotWhatTheMechanismDrew) {
  EXPECT_TRUE(has(failures<ObjectiveFault::noise_from_data>(), "distance to the ideal sample"));
}

}  // namespace
}  // namespace tacit
